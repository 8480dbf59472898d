import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { strict } from './strict.js';

/** A sequence as the test opens it. */
interface SimulatedSequence {
  readonly name: string;
  readonly guid?: string;
  /** Where the playhead is. */
  readonly seconds: number;
  readonly width?: number;
  readonly height?: number;
  /** How long it is, in seconds. Default 92. */
  readonly length?: number;
  /**
   * The In and the Out point, in seconds. Not set by default. How the host gives such a point is documented nowhere: here
   * as the time -400,000, as Premiere's older scripts do.
   */
  readonly inOut?: readonly [number, number];
  /** Ticks of one frame. Default: 25 frames per second. */
  readonly timebase?: number;
  /** The user's own markers. */
  readonly markers?: readonly SimulatedMarker[];
  /** Its times are never answered. */
  readonly isSilent?: boolean;
  /** The bytes of an exported frame, by extension; an extension without bytes gives no frame. */
  readonly bytes: Readonly<Record<string, Uint8Array>>;
}

/** A marker as a test sees it. Times are in ticks. */
export interface SimulatedMarker {
  readonly name: string;
  readonly ticks: string;
  readonly duration?: string;
  readonly comments: string;
}

/** A clip of the project, or a bin with items. */
export interface SimulatedItem {
  readonly id: string;
  readonly name: string;
  /** Null for a bin, empty for a sequence. */
  readonly path: string | null;
  /** Id of its bin; null for the root. */
  readonly bin: string | null;
  /** Fields of its metadata. */
  readonly metadata: string;
  /** Premiere cannot change its path. */
  readonly isFixed?: boolean;
  /** The user has set it offline: whether it takes a path then is documented nowhere, so it does not. */
  readonly isOffline?: boolean;
}

/** A clip of a sequence. Times are in seconds. */
export interface SimulatedClip {
  /** Id of its item. */
  readonly item: string;
  readonly start: number;
  /** What it shows of its media. */
  readonly inOut: readonly [number, number];
  readonly effects: readonly string[];
}

/** One frame that was exported. */
interface FrameExport {
  readonly sequence: string;
  readonly seconds: number;
  readonly filename: string;
  readonly width: number;
  readonly height: number;
}

/** The test's hand on Premiere. */
export interface PremiereControl {
  /** Opens a project with this sequence in front, or with none. */
  openProject(sequence?: SimulatedSequence): void;
  closeProject(): void;
  /** The behaviour of `getActiveProject` without a project, which is not documented. Default 'null'. */
  withoutProject: 'null' | 'reject';
  /** Before 26.2.2 `frame.jpg` became `frame.jpg.jpg`. */
  doublesEnding: boolean;
  /** The file comes, in two parts, after the promise has resolved. */
  writesLate: boolean;
  /** Returns true and writes nothing. */
  writesNothing: boolean;
  readonly frames: FrameExport[];
  /**
   * How exports of sequences go: they end, as reported (default); they report the end first and write the rest on
   * `finishEncoding`; they fail, are refused, or never answer and write nothing.
   */
  encodes: 'whole' | 'early' | 'fails' | 'refuses' | 'never';
  finishEncoding(): void;
  /** The markers of the sequence in front. */
  markers(): readonly SimulatedMarker[];
  /** The user removes a marker, or renames it. */
  changeMarker(name: string, to: SimulatedMarker | null): void;
  /** The items of the project. */
  items: readonly SimulatedItem[];
  /** The bin that the user works in; null for the root. */
  insertionBin: string | null;
  /** What `importFiles` does: an item for each file, the answer false without or with an item, two items, or none. */
  imports: 'item' | 'refused' | 'item refused' | 'two' | 'nothing';
  /** Runs while `importFiles` works, as a user would. */
  whileImporting: () => void;
  /** The clips of all sequences. */
  clips: readonly SimulatedClip[];
  /** Seconds of media, by file name. Default: endless, as stills are. */
  readonly mediaLengths: Map<string, number>;
  /**
   * What `changeMediaFilePath` does for an item: it changes the path, answers false, answers true without a change, throws
   * before or after the change, leaves the item offline, or never answers, with or without the change.
   */
  changesPath: (
    item: SimulatedItem,
  ) => 'yes' | 'refused' | 'nothing' | 'throws' | 'half' | 'offline' | 'silent' | 'silent half';
  /** The action that sets metadata is carried out, but the field is not kept. */
  dropsMetadata: boolean;
  /** The names of the steps that can be undone. */
  readonly undoSteps: string[];
  /** The user undoes the last step. */
  undo(): void;
  /** Where the playhead is, in ticks. */
  playhead(): string;
  /** The calls about markers and transactions so far. */
  readonly markerCalls: string[];
  /** Whether paths and states that are read count as calls. Default false. */
  countsReads: boolean;
  /** A call for which this is true fails. */
  failsWhen: (name: string) => boolean;
  /** The call of this number fails; the plugin is not told more. */
  failsAt: number;
  /** What an exception inside `executeTransaction` leaves; the package does not say. Default 'nothing'. */
  transactions: 'nothing' | 'half';
  /** Markers have a `guid` since 26.3. */
  hasGuids: boolean;
  /** The ending of the format that presets choose. */
  presetEnding: string;
  /** `isWhole`: not only from the In to the Out point. */
  readonly sequences: {
    readonly sequence: string;
    readonly preset: string;
    readonly isWhole: boolean;
  }[];
}

const DEFAULT_GUID = '0F4D7A52-8C6E-4C0A-9B4F-2D1E3F4A5B6C';

/** Exporter page. */
const endings = ['bmp', 'dpx', 'gif', 'jpg', 'exr', 'png', 'tga', 'tif'];

/**
 * `require('premierepro')`, as far as frames are exported: AdobeDocs/uxp-premiere-pro, ppro-reference/classes.
 *
 * @param write stores bytes at a path as the host itself does, past the plugin's permissions
 */
export function createPremiereModule(
  lifetime: Lifetime,
  write: (path: string, bytes: Uint8Array) => void,
): { premierepro: object; control: PremiereControl } {
  const { realm } = lifetime;
  const made = <T extends object>(name: string, members: T): T =>
    strict(name, members, realm.Error);
  const sequences = new WeakMap<object, SimulatedSequence>();
  interface Stored extends SimulatedMarker {
    readonly guid: string;
  }
  let markers: readonly Stored[] = [];
  /** What undo brings back. Paths are not among it. */
  const undoable: {
    readonly markers: readonly Stored[];
    readonly items: readonly SimulatedItem[];
  }[] = [];
  let nextGuid = 1;
  let position = '0';
  let isLocked = false;
  const actions = new WeakMap<object, () => void>();
  const tickTimes = new WeakMap<object, string>();
  const markerObjects = new WeakMap<object, Stored>();
  const called = (name: string): void => {
    control.markerCalls.push(name);
    if (control.markerCalls.length === control.failsAt || control.failsWhen(name))
      throw new realm.Error(`${name} failed`);
  };
  const ticksIn = (time: unknown): string =>
    tickTimes.get(time as object) ??
    (() => {
      throw new realm.Error('Invalid parameter.');
    })();
  const tickTime = (ticks: string): object => {
    const time = made('TickTime', { ticks, seconds: Number(ticks) / 254_016_000_000 });
    tickTimes.set(time, ticks);
    return time;
  };
  /** Every reading makes new objects. */
  const markerObject = (stored: Stored): object => {
    const { name, ticks, duration = '0', comments, guid } = stored;
    const members = {
      getName: () => name,
      getStart: () => tickTime(ticks),
      getDuration: () => tickTime(duration),
      getComments: () => comments,
      ...(control.hasGuids && { guid: made('Guid', { toString: () => guid }) }),
    };
    const marker = made('Marker', members);
    markerObjects.set(marker, stored);
    return marker;
  };
  /** Since 26.3 (typings): an action is created inside `lockedAccess`. */
  const action = (name: string, run: () => void): object => {
    called(name);
    if (!isLocked) throw new realm.Error(`${name} needs lockedAccess`);
    const created = made('Action', {});
    actions.set(created, run);
    return created;
  };
  const markersOf = (): object =>
    made('Markers', {
      getMarkers: () => {
        called('getMarkers');
        return markers.map(markerObject);
      },
      createAddMarkerAction: (...given: readonly unknown[]) =>
        action('createAddMarkerAction', () => {
          const [name, type, start, duration, comments] = given;
          if (typeof name !== 'string' || type !== 'Comment' || typeof comments !== 'string')
            throw new realm.Error('Invalid parameter.');
          const ticks = ticksIn(start);
          const guid = `guid-${nextGuid++}`;
          markers = [...markers, { name, ticks, duration: ticksIn(duration), comments, guid }];
        }),
      createRemoveMarkerAction: (marker: object) => {
        const stored = markerObjects.get(marker);
        if (stored === undefined) throw new realm.Error('Invalid parameter.');
        return action('createRemoveMarkerAction', () => {
          markers = markers.filter((one) => one !== stored);
        });
      },
    });
  const executeTransaction = (callback: unknown, undoString: unknown): boolean => {
    called('executeTransaction');
    if (!isLocked || typeof callback !== 'function' || typeof undoString !== 'string')
      throw new realm.Error('executeTransaction: not the documented arguments');
    const taken: object[] = [];
    const before = { markers, items: control.items };
    const carryOut = (): void => {
      for (const one of taken) actions.get(one)?.();
      undoable.push(before);
      control.undoSteps.push(undoString);
    };
    const compound = made('CompoundAction', {
      addAction: (one: object) => {
        called('addAction');
        if (!actions.has(one)) throw new realm.Error('Invalid parameter.');
        taken.push(one);
        return true;
      },
      empty: false,
    });
    try {
      (callback as (compound: object) => void)(compound);
    } catch (error) {
      if (control.transactions === 'half' && taken.length > 0) carryOut();
      throw error;
    }
    carryOut();
    return true;
  };
  const lockedAccess = (callback: unknown): void => {
    called('lockedAccess');
    if (typeof callback !== 'function') throw new realm.Error('lockedAccess takes a function');
    isLocked = true;
    try {
      const result: unknown = (callback as () => unknown)();
      if (result !== undefined) throw new realm.Error('the callback is synchronous');
    } finally {
      isLocked = false;
    }
  };
  const items = new WeakMap<object, string>();
  const itemIn = (given: unknown): SimulatedItem => {
    const found = control.items.find(({ id }) => id === items.get(given as object));
    if (found === undefined) throw new realm.Error('Invalid parameter.');
    return found;
  };
  const TYPES = { TYPE_CLIP: 1, TYPE_BIN: 2, TYPE_ROOT: 3, TYPE_FILE: 4 };
  const objectWith = (name: string, id: string, members: object): object => {
    const object = made(name, members);
    items.set(object, id);
    return object;
  };
  const itemObject = ({ id, name, path, bin }: SimulatedItem): object =>
    objectWith('ProjectItem', id, {
      name,
      type: path === null ? TYPES.TYPE_BIN : TYPES.TYPE_CLIP,
      getId: () => id,
      getParentBin: () => folderObject(bin),
    });
  const folderObject = (bin: string | null): object =>
    objectWith('FolderItem', bin ?? 'root', {
      getItems: () =>
        lifetime.call(() => control.items.filter((one) => one.bin === bin).map(itemObject)),
      createRemoveItemAction: (given: unknown) => {
        const { id } = itemIn(given);
        return action('createRemoveItemAction', () => {
          control.items = control.items.filter((one) => one.id !== id);
        });
      },
    });
  const importFiles = (...given: readonly unknown[]): Promise<boolean> =>
    lifetime.call(() => {
      const [paths, suppressUI, bin, asStills] = given;
      called('importFiles');
      // With a dialog it would wait for the user.
      if (!Array.isArray(paths) || suppressUI !== true || asStills !== false)
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      const { imports } = control;
      if (imports === 'refused') return false;
      const count = imports === 'two' ? 2 : imports === 'nothing' ? 0 : 1;
      control.whileImporting();
      for (const path of (paths as string[]).flatMap((one) => Array<string>(count).fill(one))) {
        if (!nodeFs.existsSync(path)) return false;
        const id = `item-${nextGuid++}`;
        const parent = items.get(bin as object) ?? 'root';
        control.items = [
          ...control.items,
          {
            ...{ id, name: nodePath.basename(path), path: path.normalize('NFD') },
            ...{ bin: parent === 'root' ? null : parent, metadata: '' },
          },
        ];
      }
      return imports !== 'item refused';
    });
  const set = (id: string, change: Partial<SimulatedItem>): void => {
    control.items = control.items.map((one) => (one.id === id ? { ...one, ...change } : one));
  };
  /** ClipProjectItem page: "returns true if successful. Not undoable." */
  const changePath = (item: SimulatedItem, given: readonly unknown[]): Promise<boolean> => {
    const [path, overrides = false] = given;
    const behaviour = control.changesPath(item);
    const isSilent = behaviour === 'silent' || behaviour === 'silent half';
    const change = (): boolean => {
      called('changeMediaFilePath');
      if (typeof path !== 'string' || typeof overrides !== 'boolean')
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      if (behaviour === 'throws') throw new HostFailure(new realm.Error('not now'));
      const [before = Infinity, length = Infinity] = [item.path ?? '', path].map((one) =>
        control.mediaLengths.get(nodePath.basename(one.normalize('NFC'))),
      );
      const isRefused = item.isFixed === true || item.isOffline === true || behaviour === 'refused';
      // Of the check of compatibility only the name is documented.
      if (isRefused || (length < before && !overrides)) return false;
      if (behaviour === 'nothing' || behaviour === 'silent') return true;
      // A path without a file is taken: the item is offline then.
      set(item.id, { path: path.normalize('NFD') });
      if (behaviour === 'offline') unreadable.add(path.normalize('NFC'));
      control.clips = control.clips.map((one) =>
        one.item === item.id
          ? { ...one, inOut: [one.inOut[0], Math.min(one.inOut[1], length)] }
          : one,
      );
      if (behaviour === 'half') throw new HostFailure(new realm.Error('not now'));
      return true;
    };
    return lifetime.call(() => {
      const isChanged = change();
      return isSilent ? new Promise<boolean>(() => undefined) : isChanged;
    });
  };
  const packetWith = (metadata: string): string =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>${metadata}</rdf:RDF></x:xmpmeta>`;
  const fields = new Set<unknown>();
  const metadata = made('MetadataStatic', {
    METADATA_TYPE_TEXT: 2,
    getProjectMetadata: (given: unknown) => lifetime.call(() => packetWith(itemIn(given).metadata)),
    addPropertyToProjectMetadataSchema: (name: unknown, label: unknown, type: unknown) =>
      lifetime.call(() => {
        called('addPropertyToProjectMetadataSchema');
        if (typeof label !== 'string' || type !== 2)
          throw new HostFailure(new realm.Error('Invalid parameter.'));
        const isNew = !fields.has(name);
        fields.add(name);
        // False for a field that is there.
        return isNew;
      }),
    createSetProjectMetadataAction: (given: unknown, packet: unknown, updated: unknown) => {
      const { id } = itemIn(given);
      if (
        typeof packet !== 'string' ||
        !Array.isArray(updated) ||
        !updated.every((one) => fields.has(one))
      )
        throw new realm.Error('Invalid parameter.');
      return action('createSetProjectMetadataAction', () => {
        const [, inner = ''] = /<rdf:RDF>([^]*)<\/rdf:RDF>/.exec(packet) ?? [];
        if (control.dropsMetadata) return;
        set(id, { metadata: inner });
      });
    },
  });
  /** Paths of files that Premiere cannot read. */
  const unreadable = new Set<string>();
  const castClip = (given: unknown): object => {
    const { id } = itemIn(given);
    const now = (): SimulatedItem => itemIn(given);
    const read = (name: string): void => {
      if (control.countsReads) called(name);
    };
    return objectWith('ClipProjectItem', id, {
      getMediaFilePath: () =>
        lifetime.call(() => {
          read('getMediaFilePath');
          const { path } = now();
          if (path === '') throw new HostFailure(new realm.Error('no media'));
          return path;
        }),
      isOffline: () =>
        lifetime.call(() => {
          read('isOffline');
          const { path, isOffline = false } = now();
          const file = (path ?? '').normalize('NFC');
          return isOffline || unreadable.has(file) || !nodeFs.existsSync(file);
        }),
      canChangeMediaPath: () =>
        lifetime.call(() => {
          called('canChangeMediaPath');
          return now().isFixed !== true;
        }),
      changeMediaFilePath: (...change: readonly unknown[]) => changePath(now(), change),
      refreshMedia: () =>
        lifetime.call(() => {
          called('refreshMedia');
          return true;
        }),
    });
  };
  const times = new WeakMap<object, number>();
  let project: object | null = null;

  const sequenceOf = (simulated: SimulatedSequence): object => {
    const { name, guid = DEFAULT_GUID, seconds, width = 3840, height = 2160 } = simulated;
    const { length = 92, inOut: [from, to] = [-400_000, -400_000], isSilent = false } = simulated;
    const timeAt = (at: number): Promise<object> =>
      isSilent
        ? new Promise(() => undefined)
        : lifetime.call(() => {
            const ticks = String(Math.round(at * 254_016_000_000));
            const time = made('TickTime', { seconds: at, ticks });
            tickTimes.set(time, ticks);
            times.set(time, at);
            return time;
          });
    const sequence = made('Sequence', {
      name,
      guid: made('Guid', { toString: () => guid }),
      getPlayerPosition: () => timeAt(seconds),
      setPlayerPosition: (time: object) =>
        lifetime.call(() => {
          called('setPlayerPosition');
          position = ticksIn(time);
          return true;
        }),
      getTimebase: () => lifetime.call(() => String(simulated.timebase ?? 254_016_000_000 / 25)),
      getInPoint: () => timeAt(from),
      getOutPoint: () => timeAt(to),
      getEndTime: () => timeAt(length),
      getFrameSize: () => lifetime.call(() => made('RectF', { width, height })),
    });
    sequences.set(sequence, simulated);
    return sequence;
  };

  const exportSequenceFrame = (...given: readonly unknown[]): Promise<boolean> =>
    lifetime.call(() => {
      if (given.length !== 6) throw new HostFailure(new realm.Error('Not Enough Parameters'));
      const [sequence, time, filename, filepath, width, height] = given;
      const simulated = sequences.get(sequence as object);
      const seconds = times.get(time as object);
      const areWhole = Number.isInteger(width) && Number.isInteger(height);
      if (
        simulated === undefined ||
        seconds === undefined ||
        typeof filename !== 'string' ||
        typeof filepath !== 'string' ||
        !areWhole
      )
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      const ending = nodePath.extname(filename).slice(1);
      const bytes = simulated.bytes[ending];
      if (!endings.includes(ending) || bytes === undefined) return false;
      const { frames, doublesEnding, writesLate, writesNothing } = control;
      frames.push({
        sequence: simulated.name,
        seconds,
        filename,
        width: Number(width),
        height: Number(height),
      });
      // A name with folders or a colon is silently not written.
      if (writesNothing || filename !== nodePath.basename(filename) || filename.includes(':'))
        return true;
      const path = nodePath.join(filepath, doublesEnding ? `${filename}.${ending}` : filename);
      if (!writesLate) {
        write(path, bytes);
        return true;
      }
      const later = [bytes.subarray(0, bytes.length >> 1), bytes].map((part, index) =>
        setTimeout(
          () => {
            write(path, part);
          },
          150 * (index + 1),
        ),
      );
      lifetime.onEnd(() => {
        later.forEach(clearTimeout);
      });
      return true;
    });

  const IMMEDIATELY = 2;
  /** Writes the rest of a file. */
  let finish = (): void => undefined;
  const exportSequence = (...given: readonly unknown[]): Promise<boolean> => {
    const [sequence, type, output, preset, isWhole] = given;
    if (control.encodes === 'never') return new Promise(() => undefined);
    return lifetime.call(() => {
      const simulated = sequences.get(sequence as object);
      if (
        simulated === undefined ||
        type !== IMMEDIATELY ||
        typeof output !== 'string' ||
        typeof preset !== 'string' ||
        !nodeFs.existsSync(preset) ||
        typeof isWhole !== 'boolean'
      )
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      if (control.encodes === 'refuses') throw new HostFailure(new realm.Error('not now'));
      const bytes = simulated.bytes[control.presetEnding];
      if (control.encodes === 'fails' || bytes === undefined) return false;
      control.sequences.push({
        sequence: simulated.name,
        preset: nodePath.basename(preset),
        isWhole,
      });
      finish = () => {
        write(output, bytes);
      };
      if (control.encodes === 'whole') finish();
      else write(output, bytes.subarray(0, bytes.length >> 1));
      return true;
    });
  };

  const control: PremiereControl = {
    openProject(sequence) {
      const active = sequence === undefined ? null : sequenceOf(sequence);
      markers = (sequence?.markers ?? []).map((one) => ({ ...one, guid: `guid-${nextGuid++}` }));
      project = made('Project', {
        name: 'Trip.prproj',
        getActiveSequence: () => lifetime.call(() => active),
        lockedAccess,
        executeTransaction,
        importFiles,
        getRootItem: () => lifetime.call(() => folderObject(null)),
        getInsertionBin: () => lifetime.call(() => folderObject(control.insertionBin)),
      });
    },
    closeProject() {
      project = null;
    },
    withoutProject: 'null',
    doublesEnding: false,
    writesLate: false,
    writesNothing: false,
    frames: [],
    encodes: 'whole',
    finishEncoding() {
      finish();
    },
    markers: () =>
      markers.map(({ name, ticks, duration, comments }) => ({
        ...{ name, ticks, comments },
        ...(duration !== undefined && { duration }),
      })),
    changeMarker(name, to) {
      markers = markers.flatMap((one) =>
        one.name !== name ? [one] : to === null ? [] : [{ ...to, guid: one.guid }],
      );
    },
    items: [],
    insertionBin: null,
    imports: 'item',
    whileImporting: () => undefined,
    clips: [],
    mediaLengths: new Map(),
    changesPath: () => 'yes',
    dropsMetadata: false,
    undoSteps: [],
    undo() {
      control.undoSteps.pop();
      const { markers: stored, items: former } = undoable.pop() ?? { markers, items: [] };
      markers = stored;
      const ids = new Set(control.items.map(({ id }) => id));
      control.items = [
        ...control.items.map((one) => ({
          ...one,
          metadata: former.find(({ id }) => id === one.id)?.metadata ?? one.metadata,
        })),
        ...former.filter(({ id }) => !ids.has(id)),
      ];
    },
    playhead: () => position,
    markerCalls: [],
    countsReads: false,
    failsWhen: () => false,
    failsAt: 0,
    transactions: 'nothing',
    hasGuids: true,
    presetEnding: 'mp4',
    sequences: [],
  };

  const premierepro = made('premierepro', {
    Project: made('Project', {
      getActiveProject: () =>
        lifetime.call(() => {
          if (project === null && control.withoutProject === 'reject')
            throw new HostFailure(new realm.Error('no project is open'));
          return project;
        }),
    }),
    Exporter: made('Exporter', { exportSequenceFrame }),
    EncoderManager: made('EncoderManagerStatic', {
      getManager: () => made('EncoderManager', { exportSequence }),
      getExportFileExtension: () => lifetime.call(() => control.presetEnding),
    }),
    Markers: made('Markers', {
      getMarkers: (sequence: object) =>
        lifetime.call(() => {
          if (!sequences.has(sequence))
            throw new HostFailure(new realm.Error('Invalid parameter.'));
          return markersOf();
        }),
    }),
    Metadata: metadata,
    ProjectItem: made('ProjectItemStatic', { ...TYPES, cast: (folder: unknown) => folder }),
    FolderItem: made('FolderItemStatic', {
      cast: (given: unknown) => {
        const id = items.get(given as object) ?? 'root';
        return folderObject(id === 'root' ? null : id);
      },
    }),
    ClipProjectItem: made('ClipProjectItemStatic', { cast: castClip }),
    Marker: made('Marker', { MARKER_TYPE_COMMENT: 'Comment' }),
    TickTime: made('TickTimeStatic', {
      createWithTicks: (ticks: unknown) => {
        if (typeof ticks !== 'string' || !/^\d+$/.test(ticks))
          throw new realm.Error('Invalid parameter.');
        return tickTime(ticks);
      },
    }),
    Constants: made('Constants', {
      ExportType: made('ExportType', { QUEUE_TO_AME: 0, QUEUE_TO_APP: 1, IMMEDIATELY }),
    }),
  });
  return { premierepro, control };
}
