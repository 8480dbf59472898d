import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { strict } from './strict.js';

type Descriptor = Readonly<Record<string, unknown>>;
type Listener = (event: string, descriptor: object) => void;

/** `require('photoshop').action`, as far as documents are read and watched (media/photoshopaction). */
export interface Action {
  batchPlay(commands: readonly object[], options?: object): Promise<Descriptor[]>;
  addNotificationListener(events: readonly string[], listener: Listener): Promise<void>;
  removeNotificationListener(events: readonly string[], listener: Listener): Promise<void>;
  recordAction(options: { name: string; methodName: string }, info: object): Promise<void>;
}

/** A step of an Action, as Photoshop keeps it: it outlives the run of the plugin. */
export interface RecordedStep {
  readonly name: string;
  readonly methodName: string;
  readonly info: Readonly<Record<string, unknown>>;
}

/** Events of media/eventcodes that can be fired here. */
export type PhotoshopEvent = 'open' | 'close' | 'select' | 'save';

/**
 * @param host  what the module needs of Photoshop: the XMP packet of an open document, undefined when there is no such
 *   document, whether a modal scope is open, in which no event is fired, and the command that saves
 */
export function createAction(
  lifetime: Lifetime,
  host: {
    xmpOf(documentId: unknown): string | undefined;
    isModal(): boolean;
    save(command: Descriptor): Promise<object>;
    /** Writes the XMP of an open document. */
    setXmp(documentId: unknown, packet: unknown): Promise<void>;
    /** The descriptor of a smart object; undefined for another layer, and while such commands are not simulated. */
    smartObject(documentId: unknown, layerId: unknown): object | undefined;
    place(command: Descriptor): Promise<object>;
    /** Where the content of a smart object is, and whether its mask is linked, as seen in practice. */
    placement(
      documentId: unknown,
      layerId: unknown,
    ): { readonly smartObjectMore?: object; readonly userMaskLinked?: boolean } | undefined;
    /** Makes a layer the one that the next command is about, with those that are selected already if wanted; undefined for none. */
    select(layerId: unknown, isAdded: boolean): Promise<object>;
    linkMask(layerId: unknown, isLinked: unknown): Promise<object>;
    /** Gives the selected smart object another file. */
    relink(command: Descriptor): Promise<object>;
  },
): {
  action: Action;
  fire: (event: PhotoshopEvent, descriptor: object) => void;
  /** Starts to record an Action; its steps are added to what is given back. */
  record: () => RecordedStep[];
  /** How often `batchPlay` was called. */
  plays: () => number;
} {
  const { realm } = lifetime;
  let played = 0;
  /** The steps of the Action that is being recorded. */
  let recording: RecordedStep[] | undefined;
  const listeners: { readonly event: string; readonly listener: Listener }[] = [];
  const refuse = (message: string): never => {
    throw new HostFailure(new realm.TypeError(message));
  };

  /** A command that fails resolves with an error descriptor (media/batchplay). */
  const play = (command: unknown): Descriptor => {
    if (typeof command !== 'object' || command === null || !('_obj' in command))
      return refuse('batchPlay: a command needs an _obj');
    const { _obj, _target } = command as Descriptor;
    const target: readonly Descriptor[] = Array.isArray(_target) ? (_target as Descriptor[]) : [];
    const document = target.find(({ _ref }) => _ref === 'document');
    const layer = target.find(({ _ref }) => _ref === 'layer');
    if (_obj === 'get' && target[0]?.['_property'] === 'smartObject' && layer) {
      const smartObject = host.smartObject(document?.['_id'], layer['_id']);
      if (smartObject) return { smartObject };
    }
    const property = String(target[0]?.['_property']);
    const placed = layer && host.placement(document?.['_id'], layer['_id']);
    const known = placed && Object.entries(placed).filter(([name]) => name === property);
    if (_obj === 'get' && known?.length) return Object.fromEntries(known);
    if (_obj !== 'get' || property !== 'XMPMetadataAsUTF8')
      return { _obj: 'error', message: 'The command is not simulated.', result: -25922 };
    const xmp = host.xmpOf(document?.['_id']);
    return xmp === undefined
      ? { _obj: 'error', message: 'The object is not currently available.', result: -1728 }
      : { XMPMetadataAsUTF8: xmp };
  };

  /** A command that is cancelled has the result -128. */
  const playAny = async (command: object): Promise<Descriptor> => {
    const { _obj, _target, to, selectionModifier: modifier } = command as Descriptor;
    const [property, document] = Array.isArray(_target) ? (_target as Descriptor[]) : [];
    const isXmp = _obj === 'set' && property?.['_property'] === 'XMPMetadataAsUTF8';
    const commands: Readonly<Record<string, () => Promise<object>>> = {
      save: () => host.save(command as Descriptor),
      placeEvent: () => host.place(command as Descriptor),
      select: () =>
        host.select(
          property?.['_ref'] === 'layer' ? property['_id'] : undefined,
          (modifier as Descriptor | undefined)?.['_value'] === 'addToSelection',
        ),
      selectNoLayers: () => host.select(undefined, false),
      placedLayerRelinkToFile: () => host.relink(command as Descriptor),
      placedLayerReplaceContents: () => host.relink(command as Descriptor),
      set: async () => {
        const { _obj: kind, XMPMetadataAsUTF8: packet, userMaskLinked } = (to ?? {}) as Descriptor;
        if (kind === 'layer') return await host.linkMask(property?.['_id'], userMaskLinked);
        if (kind !== 'XMPMetadataAsUTF8') throw new Error('set: not the documented arguments');
        await host.setXmp(document?.['_id'], packet);
        return {};
      },
    };
    const isLayer = _obj === 'set' && property?.['_ref'] === 'layer';
    const run = _obj !== 'set' || isXmp || isLayer ? commands[String(_obj)] : undefined;
    if (!run) return play(command);
    try {
      return { ...(await run()) };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { _obj: 'error', message, result: /cancelled/.test(message) ? -128 : -25922 };
    }
  };

  const checkListener = (events: unknown, listener: unknown): void => {
    if (!Array.isArray(events) || typeof listener !== 'function')
      refuse('a notification listener takes names of events and a function');
    // Seen in practice; the page lists the codes of events.
    if ((events as unknown[]).includes('all')) refuse('"all" is not a valid event');
  };

  const action: Action = {
    batchPlay: (commands, options = {}) =>
      lifetime.call(() => {
        played += 1;
        if (!Array.isArray(commands) || typeof options !== 'object')
          return refuse('batchPlay takes a list of commands and options');
        // One after the other: a command is about what the one before has selected.
        return (commands as readonly object[]).reduce<Promise<Descriptor[]>>(
          async (before, command) => [...(await before), await playAny(command)],
          Promise.resolve([]),
        );
      }),
    addNotificationListener: (events, listener) =>
      lifetime.call(() => {
        checkListener(events, listener);
        listeners.push(...events.map((event) => ({ event, listener })));
      }),
    removeNotificationListener: (events, listener) =>
      lifetime.call(() => {
        checkListener(events, listener);
        const left = listeners.filter(
          (one) => one.listener !== listener || !events.includes(one.event),
        );
        listeners.splice(0, Infinity, ...left);
      }),
    recordAction: (options, ...info) =>
      lifetime.call(() => {
        const { name, methodName } = options;
        if (typeof methodName !== 'string') throw new Error('Unsupported napi type');
        if (typeof name !== 'string') return refuse('recordAction needs a name');
        if (typeof info[0] !== 'object') throw new Error('Argument 2 is missing');
        // Nothing is documented for a call while no Action is recorded; an error is the harder way.
        if (recording === undefined) throw new Error('no Action is being recorded');
        recording.push({
          name,
          methodName,
          info: JSON.parse(JSON.stringify(info[0])) as RecordedStep['info'],
        });
      }),
  };
  return {
    action: strict('action', action, realm.Error),
    plays: () => played,
    record: () => {
      recording = [];
      return recording;
    },
    fire(event, descriptor) {
      for (const one of listeners) {
        if (one.event === event && !host.isModal()) {
          setImmediate(() => {
            if (lifetime.alive) one.listener(event, descriptor);
          });
        }
      }
    },
  };
}
