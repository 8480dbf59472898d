import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import { File } from './entries.js';
import type { Lifetime } from './lifetime.js';
import { strict } from './strict.js';

type SaveEvent = 'afterSave' | 'afterSaveAs' | 'afterSaveACopy';

type InDesignFormat = 'pdf' | 'jpg' | 'png';

/** A document as the test opens it. */
interface SimulatedLayout {
  readonly name: string;
  /** Numbers on the pages, in order: they may start anywhere and come twice. */
  readonly pages: readonly string[];
  /** The pages after the first one lie in pairs side by side. Default: each is a spread. */
  readonly facing?: boolean;
  /** The page in front by its place, `parent` for a parent page; null in a document without a window. */
  readonly inFront?: number | 'parent' | null;
  /** Height and width of each page, in the units of the rulers. Default 800 and 600. */
  readonly pageSize?: readonly [height: number, width: number];
  /** The origin of the rulers: of each spread (default), or of each page. */
  readonly rulers?: 'spread' | 'page';
  /** Names of its layers. Default: one. The first is the one that the user draws on. */
  readonly layers?: readonly string[];
  /** DocumentID in its XMP; null (default) in a document that has none. */
  readonly documentId?: string | null;
  /** The bytes that an export writes, by format; a format without bytes fails. */
  readonly bytes: Partial<Record<InDesignFormat, Uint8Array>>;
}

/** A frame as a test sees it. */
export interface SimulatedFrame {
  readonly layer: number;
  readonly page: number;
  readonly bounds: readonly number[];
  readonly contents: string;
  readonly label: string;
}

export interface SimulatedLayer {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly printable: boolean;
  readonly locked: boolean;
}

/** A link as a test sees it. */
export interface SimulatedLink {
  readonly id: number;
  readonly path: string;
  /** Of the file when it was placed: InDesign compares them. */
  readonly stamp: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A frame for a picture, or (`text`) one with text, into which a picture would not fit. */
export interface SimulatedPicture {
  readonly id: number;
  readonly layer: number;
  readonly page: number;
  readonly bounds: readonly number[];
  readonly locked: boolean;
  readonly kind: 'Rectangle' | 'Oval' | 'TextFrame';
  readonly link: SimulatedLink | null;
  /** Scale of the picture in its frame. */
  readonly scale: number;
  /** Bounds of what is shown in the frame, which crops it; those of the frame when left out. */
  readonly shown?: readonly number[];
  /** Its rotation in degrees. */
  readonly angle?: number;
  /** The page of a PDF; left out for other files. */
  readonly pdfPage?: number;
}

/** The content of a document that a step of the undo history brings back. */
interface Content {
  readonly layers: readonly SimulatedLayer[];
  readonly frames: readonly SimulatedFrame[];
  readonly pictures: readonly SimulatedPicture[];
}

/** One `exportFile` that was carried out. */
interface LayoutExport {
  readonly document: string;
  readonly format: InDesignFormat;
  /** Places of the pages that got into the file. */
  readonly pages: readonly number[];
  /** The preferences it was made with. For a PDF, those of its preset count. */
  readonly preferences: Readonly<Record<string, unknown>>;
  /** The name of the PDF preset; null without one. */
  readonly preset: string | null;
}

/** The test's hand on InDesign. */
export interface InDesignControl {
  /** Opens a document and puts it in front. */
  openDocument(document: SimulatedLayout): void;
  closeDocuments(): void;
  /** The user changes the document in front: an action that can be undone, or (`same`) more of the last one. */
  edit(action?: string): void;
  /** Layers and frames of the document in front. */
  content(): Content;
  /** The user draws a frame on this layer, or moves one. */
  draw(frame: Partial<SimulatedFrame> & { readonly layer: number }): void;
  /** The user draws a frame for a picture, or changes one. @returns its id */
  drawPicture(frame: Partial<SimulatedPicture>): number;
  /** The user locks a layer. */
  lockLayer(id: number): void;
  /** What the user has selected: a frame (`picture`: what is in it) by its id, a text cursor, several things, or nothing. */
  selection: 'nothing' | 'cursor' | 'several' | { readonly frame: number; readonly picture?: true };
  /** What `place` takes: a path (default; recipes/document-changes), or a File (Rectangle and Page pages). */
  placeTakes: 'path' | 'entry';
  /** Height and width of pictures that are placed on a page. */
  pictureSize: readonly [height: number, width: number];
  /** The sizes of other pictures, by the names of their files. */
  readonly pictureSizes: Map<string, readonly [height: number, width: number]>;
  /** What a relink leaves of the position: as `preserveBounds` says, the bounds alone, or nothing. It is not described. */
  relinkKeeps: 'preference' | 'bounds' | 'nothing';
  /** Whether a relink leaves the labels of the link: that is not described. */
  relinkKeepsLabels: boolean;
  /** Sets no bounds of pictures, without an error. */
  ignoresBounds: boolean;
  /** The preference of the user. */
  readonly imagePreferences: { preserveBounds: boolean };
  /** An absent label: an empty text (default), or an error. */
  missingLabel: 'empty' | 'throw';
  /** The user undoes the last step. */
  undo(): void;
  undoSteps(): readonly string[];
  /** The page and the layer in front, by their ids, and how the view was zoomed. */
  view(): { readonly page: number; readonly layer: number; readonly zoom: unknown };
  /** The calls that change layers and frames so far, and scripts. */
  readonly calls: string[];
  /** The call of this number fails. */
  failsAt: number;
  /** `undo` fails as well. */
  refusesUndo: boolean;
  /** The user saves an open document, at first the one in front: InDesign fires events. */
  save(name?: string, type?: SaveEvent): void;
  /** What the event of a save is about: its document (default), or something that is none. */
  eventTarget: 'document' | 'other';
  /** Listeners that are registered now. */
  readonly listeners: number;
  /** Names of the PDF presets. Those in brackets come with InDesign and cannot be changed. */
  pdfPresets: readonly string[];
  /** `duplicate` of a preset fails. */
  refusesPresets: boolean;
  /** Whether widths of the bleed can be set without the document's bleed: in practice yes (default), by the page no. */
  bleedWidths: 'settable' | 'refused';
  /** What a property that is not in the XMP gives; the page does not say. Default 'null'. */
  missingProperty: 'null' | 'throw';
  /** A dialog is open: changes and exports are refused. */
  busy: boolean;
  /** Some versions name a picture of one page `document_3.jpg` though `document.jpg` was asked for. */
  addsPageNumber: boolean;
  /** The argument of `exportFile`: a file entry (default; the page requires a File), or nothing but a native path. */
  takes: 'entry' | 'path';
  /** Members of enumerations are numbers, as documented, or (default) objects that nothing takes, as seen in 21.4. */
  enumerations: 'numbers' | 'opaque';
  /** `exportFile` returns a promise, and reads the preferences and writes only later. */
  exportsLater: boolean;
  readonly exports: LayoutExport[];
  /** The user's own export preferences, at this time; page strings also while no range is asked for. */
  preferences(): Readonly<Record<InDesignFormat, Readonly<Record<string, unknown>>>>;
}

/** What the user does to a document. */
interface Work {
  readonly id: number;
  modified: boolean;
  readonly undoHistory: string[];
  content: Content;
  /** Before each step of the history; null for one that left layers and frames alone. */
  readonly before: (Content | null)[];
  inFront: number | 'parent' | null;
  activeLayer: number;
  zoom: unknown;
  /** Counts the links: each has another id. */
  links: number;
  /** Counts the saves: each gives the XMP another InstanceID. */
  saves: number;
}

/** What PDFExportPreset and PDFExportPreference have in common, as a user may have set it. */
const pdfSettings = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  exportAsSinglePages: false,
  exportReaderSpreads: false,
  cropMarks: false,
  bleedMarks: true,
  registrationMarks: true,
  colorBars: true,
  pageInformationMarks: true,
  includeSlugWithPDF: true,
  useDocumentBleedWithPDF: false,
  bleedTop: 8.5,
  bleedBottom: 8.5,
  bleedInside: 8.5,
  bleedOutside: 8.5,
  ...more,
});

const MEDIA_MANAGEMENT = 'http://ns.adobe.com/xap/1.0/mm/';

/** Values as their pages under dom/api give them. */
const enumerations = {
  FitOptions: { PROPORTIONALLY: 1668247152, FILL_PROPORTIONALLY: 1718185072 },
  LinkStatus: {
    NORMAL: 1852797549,
    LINK_OUT_OF_DATE: 1819242340,
    LINK_MISSING: 1819109747,
    LINK_EMBEDDED: 1282237028,
    LINK_INACCESSIBLE: 1818848865,
  },
  ExportFormat: { PDF_TYPE: 1952403524, JPG: 1246775072, PNG_FORMAT: 1699761735 },
  PageRange: { ALL_PAGES: 1886547553, SELECTED_ITEMS: 1886547571 },
  ExportRangeOrAllPages: { EXPORT_RANGE: 1785742674, EXPORT_ALL: 1785742657 },
  PNGExportRangeEnum: { EXPORT_RANGE: 1785742674, EXPORT_ALL: 1785742657 },
  JPEGOptionsQuality: {
    LOW: 1701727351,
    MEDIUM: 1701727588,
    HIGH: 1701726313,
    MAXIMUM: 1701727608,
  },
  ScriptLanguage: { UXPSCRIPT: 1431522407, JAVASCRIPT: 1246973031 },
  UndoModes: { ENTIRE_SCRIPT: 1699963733, SCRIPT_REQUEST: 1699967573 },
  ZoomOptions: { FIT_PAGE: 2053534832, FIT_SPREAD: 2053534835 },
  PNGQualityEnum: { LOW: 1701727351, MEDIUM: 1701727588, HIGH: 1701726313, MAXIMUM: 1701727608 },
} as const;

const formats: ReadonlyMap<unknown, InDesignFormat> = new Map([
  [enumerations.ExportFormat.PDF_TYPE, 'pdf'],
  [enumerations.ExportFormat.JPG, 'jpg'],
  [enumerations.ExportFormat.PNG_FORMAT, 'png'],
]);

/**
 * `require('indesign')`, as far as documents are exported: AdobeDocs/uxp-indesign, dom/api. Everything answers at once,
 * unless a test has exports made later.
 *
 * @param write stores bytes at a path as the host itself does, past the plugin's permissions
 */
export function createInDesignModule(
  lifetime: Lifetime,
  write: (path: string, bytes: Uint8Array) => void,
): { indesign: object; control: InDesignControl } {
  const { realm } = lifetime;
  const open: (SimulatedLayout & { readonly work: Work })[] = [];
  let nextId = 400;
  const exports: LayoutExport[] = [];
  const fail = (message: string): never => {
    throw new realm.Error(message);
  };
  const made = <T extends object>(name: string, members: T): T =>
    strict(name, members, realm.Error);

  // The user's last settings: other pages, one file per page, another resolution, and the PDF is opened.
  const pdf = {
    pageRange: '2-3' as unknown,
    viewPDF: true,
    ...pdfSettings({ exportAsSinglePages: true }),
  };
  const pageStrings = new Map<object, string>();
  const picture = (rangeName: string, qualityName: string): Record<string, unknown> => {
    const members: Record<string, unknown> = {
      [rangeName]: enumerations.ExportRangeOrAllPages.EXPORT_ALL,
      exportingSpread: true,
      [qualityName]: enumerations.JPEGOptionsQuality.LOW,
      exportResolution: 72,
    };
    const mustBeRange = (): void => {
      if (members[rangeName] !== enumerations.ExportRangeOrAllPages.EXPORT_RANGE)
        fail('pageString is valid only while a range is exported');
    };
    pageStrings.set(members, '1-2');
    return Object.defineProperty(members, 'pageString', {
      get() {
        mustBeRange();
        return pageStrings.get(members);
      },
      set(value: string) {
        mustBeRange();
        pageStrings.set(members, value);
      },
    });
  };
  const jpg = picture('jpegExportRange', 'jpegQuality');
  const png = picture('pngExportRange', 'pngQuality');

  /** The place of a page: `+2` is the second; `2` is the page with that number. */
  const placeOf = ({ pages }: SimulatedLayout, text: string): number => {
    const place = /^\+\d+$/.test(text)
      ? Number(text) - 1
      : pages.findIndex((name) => name === text);
    if (pages[place] === undefined) fail(`no page ${text}`);
    return place;
  };
  /** Places of the pages that a page string names: pages and ranges, with commas between them. */
  const placesOf = (layout: SimulatedLayout, pageString: string): number[] =>
    pageString.split(',').flatMap((part) => {
      const [first = '', last = first] = part.trim().split('-');
      const [from, to] = [placeOf(layout, first), placeOf(layout, last)];
      if (to < from) fail(`no range ${part}`);
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    });

  const isRange = (preferences: Readonly<Record<string, unknown>>): boolean =>
    Object.values(preferences)[0] === enumerations.ExportRangeOrAllPages.EXPORT_RANGE;

  /** @throws Error that names the parameter, as InDesign does in every language */
  const pathOf = (to: unknown): string => {
    if (to instanceof File && control.takes === 'entry') return to.nativePath;
    if (typeof to === 'string' && control.takes === 'path' && nodePath.isAbsolute(to)) return to;
    return fail("Invalid value for parameter 'to' of method 'exportFile'. Expected File.");
  };

  /** Listeners by event. While they run, the document does not answer. */
  const listeners = new Set<{ readonly type: unknown; readonly run: (event: object) => void }>();
  let isFiring = false;
  const fire = (layout: (typeof open)[number], type: SaveEvent): void => {
    const target = new Proxy(documentOf(layout), {
      get(document, member) {
        if (isFiring) fail('the document is in use');
        return Reflect.get(document, member) as unknown;
      },
    });
    const event = made('Event', {
      eventType: type,
      target: control.eventTarget === 'document' ? target : made('LayoutWindow', { id: 7 }),
    });
    isFiring = true;
    for (const listener of [...listeners]) if (listener.type === type) listener.run(event);
    isFiring = false;
  };
  const addEventListener = (type: unknown, run: unknown): object => {
    if (typeof run !== 'function') return fail('addEventListener takes a function');
    const listener = { type, run: run as (event: object) => void };
    listeners.add(listener);
    return made('EventListener', {
      eventType: type,
      remove: () => {
        if (!listeners.delete(listener)) fail('Object no longer exists');
      },
    });
  };

  interface PdfPreset {
    name: string;
    readonly settings: Record<string, unknown>;
  }
  let pdfPresets: readonly PdfPreset[] = [];
  const presetNamed = (name: string): PdfPreset => ({ name, settings: pdfSettings() });
  const presets = new WeakMap<object, PdfPreset>();
  /** A preset as the plugin sees it: gone when it was removed, and read-only when it came with InDesign. */
  const pdfPreset = (of: PdfPreset): object => {
    const mustBeThere = (): void => {
      if (!pdfPresets.includes(of)) fail('Object is invalid');
    };
    const mustBeOwn = (): void => {
      mustBeThere();
      if (of.name.startsWith('[')) fail('The default preset cannot be changed.');
    };
    const members: object = {
      isValid: true,
      duplicate: () => {
        mustBeThere();
        if (control.refusesPresets) fail('The preset cannot be duplicated.');
        const name = `${of.name.replace(/^\[|\]$/g, '')} copy`;
        const copy = { name, settings: { ...of.settings } };
        pdfPresets = [...pdfPresets, copy];
        return pdfPreset(copy);
      },
      remove: () => {
        mustBeOwn();
        pdfPresets = pdfPresets.filter((one) => one !== of);
      },
    };
    const settable = (
      name: string,
      read: () => unknown,
      write_: (value: unknown) => void,
    ): void => {
      Object.defineProperty(members, name, {
        get: () => {
          mustBeThere();
          return read();
        },
        set: (value: unknown) => {
          mustBeOwn();
          write_(value);
        },
      });
    };
    settable(
      'name',
      () => of.name,
      (value) => {
        if (pdfPresets.some(({ name }) => name === value)) fail('The name is taken.');
        of.name = String(value);
      },
    );
    for (const name of Object.keys(of.settings))
      settable(
        name,
        () => of.settings[name],
        (value) => {
          checkSetting(of.settings, name, value);
          of.settings[name] = value;
        },
      );
    const preset = made('PDFExportPreset', members);
    presets.set(preset, of);
    return preset;
  };
  const presetOf = (using: unknown): PdfPreset | null => {
    if (using === undefined) return null;
    const preset = typeof using === 'object' && using !== null ? presets.get(using) : undefined;
    return preset && pdfPresets.includes(preset)
      ? preset
      : fail("Invalid value for parameter 'using' of method 'exportFile'.");
  };
  /** PDFExportPreset and PDFExportPreference pages. */
  const checkSetting = (
    settings: Readonly<Record<string, unknown>>,
    name: string,
    value: unknown,
  ): void => {
    const isWidth = /^bleed(?:Top|Bottom|Inside|Outside)$/.test(name);
    if (isWidth ? typeof value !== 'number' : typeof value !== typeof settings[name])
      fail(`Invalid value for set property '${name}'.`);
    if (
      isWidth &&
      control.bleedWidths === 'refused' &&
      settings['useDocumentBleedWithPDF'] !== true
    )
      fail(`'${name}' is valid only with the document's bleed`);
  };

  const exportNow = (
    document: SimulatedLayout,
    format: InDesignFormat,
    to: string,
    preset: PdfPreset | null,
  ): void => {
    if (control.busy) return fail('Cannot do that while a modal dialog is open');
    const bytes = document.bytes[format] ?? fail(`the document cannot be exported as ${format}`);
    const preferences = { ...control.preferences()[format], ...preset?.settings };
    let places = document.pages.map((_, place) => place);
    if (format === 'pdf' && pdf.pageRange !== enumerations.PageRange.ALL_PAGES)
      places = placesOf(document, String(pdf.pageRange));
    if (format !== 'pdf' && isRange(preferences))
      places = placesOf(document, String(preferences['pageString']));
    exports.push({
      document: document.name,
      format,
      pages: places,
      preferences,
      preset: preset?.name ?? null,
    });
    const { dir, name, ext } = nodePath.parse(to);
    if (format === 'pdf' && preferences['exportAsSinglePages'] === false) {
      write(to, bytes);
      return;
    }
    // A file for each page, the first one without a number.
    places.forEach((place, index) => {
      const number = index > 0 || control.addsPageNumber ? `_${place + 1}` : '';
      write(nodePath.join(dir, `${name}${number}${ext}`), bytes);
    });
  };

  const exportFile = (
    document: SimulatedLayout,
    formatCode: unknown,
    to: unknown,
    showingOptions: unknown,
    using: unknown,
  ): Promise<void> | undefined => {
    const format = formats.get(formatCode) ?? fail('unknown export format');
    const path = pathOf(to);
    const preset = presetOf(using);
    // Without `false` a dialog may open.
    if (showingOptions !== false) return fail('a dialog nobody closes');
    if (control.exportsLater) return lifetime.call(() => exportNow(document, format, path, preset));
    exportNow(document, format, path, preset);
    return undefined;
  };

  const spreadOf = ({ facing = false }: SimulatedLayout, place: number): number =>
    facing ? Math.ceil(place / 2) : place;
  type Open = (typeof open)[number];
  const pageIds = new WeakMap<object, number>();
  const layerIds = new WeakMap<object, number>();
  let script: Content | null = null;
  /** A call that changes layers or frames: a separate step when outside of a script. */
  const change = <T>({ work }: Open, name: string, run: (content: Content) => [Content, T]): T => {
    control.calls.push(name);
    if (control.busy) return fail('Cannot do that while a modal dialog is open');
    if (control.calls.length === control.failsAt) return fail(`${name} failed`);
    const [next, result] = run(work.content);
    if (script === null) {
      work.before.push(work.content);
      work.undoHistory.push(name);
    }
    work.content = next;
    work.modified = true;
    return result;
  };
  const layerNow = ({ work }: Open, id: number): SimulatedLayer =>
    work.content.layers.find((one) => one.id === id) ?? fail('Object is invalid');
  const layerChange = (layout: Open, id: number, to: Partial<SimulatedLayer>): void => {
    change(layout, 'set layer', (content) => {
      layerNow(layout, id);
      const layers = content.layers.map((one) => (one.id === id ? { ...one, ...to } : one));
      return [{ ...content, layers }, undefined];
    });
  };
  const frameObject = (layout: Open, frame: SimulatedFrame): object =>
    made('TextFrame', {
      label: frame.label,
      contents: frame.contents,
      geometricBounds: frame.bounds,
      remove: () => {
        change(layout, 'remove frame', (content) => {
          if (layerNow(layout, frame.layer).locked) return fail('The layer is locked.');
          if (!content.frames.includes(frame)) return fail('Object is invalid');
          return [{ ...content, frames: content.frames.filter((one) => one !== frame) }, undefined];
        });
      },
    });
  const layerObject = (layout: Open, id: number): object => {
    const own = (): readonly SimulatedFrame[] =>
      layout.work.content.frames.filter((frame) => frame.layer === id);
    const layer = made('Layer', {
      id,
      get label() {
        return layerNow(layout, id).label;
      },
      get name() {
        return layerNow(layout, id).name;
      },
      get locked() {
        return layerNow(layout, id).locked;
      },
      set locked(locked: boolean) {
        layerChange(layout, id, { locked });
      },
      get textFrames() {
        const frames = own();
        return made('TextFrames', {
          length: frames.length,
          item: (at: number) => frameObject(layout, frames[at] ?? fail('no such frame')),
        });
      },
      get pageItems() {
        const pictures = layout.work.content.pictures.filter(({ layer: on }) => on === id);
        return made('PageItems', { length: own().length + pictures.length });
      },
      remove: () => {
        change(layout, 'remove layer', (content) => {
          if (layerNow(layout, id).locked) return fail('The layer is locked.');
          const layers = content.layers.filter((one) => one.id !== id);
          if (layers.length === 0) return fail('A document has a layer.');
          const isElsewhere = ({ layer: on }: { readonly layer: number }): boolean => on !== id;
          const frames = content.frames.filter(isElsewhere);
          return [{ layers, frames, pictures: content.pictures.filter(isElsewhere) }, undefined];
        });
      },
    });
    layerIds.set(layer, id);
    return layer;
  };
  /** Size and time of a file; null when it is gone. */
  const stampOf = (path: string): string | null => {
    const stat = nodeFs.statSync(path, { throwIfNoEntry: false });
    return stat ? `${stat.size} ${stat.mtimeMs}` : null;
  };
  const pictureNow = ({ work }: Open, id: number): SimulatedPicture =>
    work.content.pictures.find((one) => one.id === id) ?? fail('Object is invalid');
  const pictureChange = (
    layout: Open,
    call: string,
    id: number,
    to: (picture: SimulatedPicture) => Partial<SimulatedPicture>,
  ): void => {
    change(layout, call, (content) => {
      const now = pictureNow(layout, id);
      if (now.locked || layerNow(layout, now.layer).locked) return fail('The item is locked.');
      const changed = { ...now, ...to(now) };
      const pictures = content.pictures.map((one) => (one.id === id ? changed : one));
      return [{ ...content, pictures }, undefined];
    });
  };
  /** @throws Error as InDesign does, for what is no file to it */
  const newLink = (layout: Open, file: unknown, showingOptions: unknown): SimulatedLink => {
    const path =
      control.placeTakes === 'path' ? file : file instanceof File ? file.nativePath : undefined;
    if (typeof path !== 'string' || !nodePath.isAbsolute(path))
      return fail("Invalid value for parameter 'fileName' of method 'place'. Expected File.");
    if (showingOptions !== false) return fail('a dialog nobody closes');
    const stamp = stampOf(path) ?? fail('Cannot open the file.');
    layout.work.links += 1;
    return { id: 700 + layout.work.links, path, stamp, labels: {} };
  };
  const linkObject = (layout: Open, frame: number, id: number): object => {
    const now = (): SimulatedLink => {
      const { link } = pictureNow(layout, frame);
      return link?.id === id ? link : fail('Object is invalid');
    };
    return made('Link', {
      id,
      get name() {
        return nodePath.basename(now().path);
      },
      get filePath() {
        return now().path;
      },
      get status() {
        const stamp = stampOf(now().path);
        const { NORMAL, LINK_OUT_OF_DATE, LINK_MISSING } = enumerations.LinkStatus;
        if (stamp === null) return LINK_MISSING;
        return stamp === now().stamp ? NORMAL : LINK_OUT_OF_DATE;
      },
      get parent() {
        now();
        return graphicObject(layout, frame);
      },
      relink: (to: unknown) => {
        now();
        relink(layout, frame, to);
      },
      insertLabel: (key: unknown, value: unknown) => {
        if (typeof key !== 'string' || typeof value !== 'string') return fail('labels are texts');
        now();
        pictureChange(layout, 'insert label', frame, ({ link }) => ({
          link: link && { ...link, labels: { ...link.labels, [key]: value } },
        }));
        return undefined;
      },
      extractLabel: (key: unknown) => {
        const label = now().labels[String(key)];
        if (label === undefined && control.missingLabel === 'throw') return fail('no such label');
        return label ?? '';
      },
    });
  };
  /** Height and width at 100 percent. */
  const sizeOf = ({ link }: SimulatedPicture): readonly [number, number] =>
    control.pictureSizes.get(nodePath.basename(link?.path ?? '')) ?? control.pictureSize;
  const shownIn = ({ shown, bounds }: SimulatedPicture): readonly number[] => shown ?? bounds;
  /** The size that is shown as a part of the own size, in percent. */
  const scaleOf = (picture: SimulatedPicture, side: 0 | 1): number => {
    const bounds = shownIn(picture);
    return (100 * ((bounds[side + 2] ?? 0) - (bounds[side] ?? 0))) / sizeOf(picture)[side];
  };
  const relink = (layout: Open, frame: number, to: unknown): void => {
    if (typeof to !== 'string' || !nodePath.isAbsolute(to)) fail('relink takes a full path');
    pictureChange(layout, 'relink', frame, (now) => {
      const labels = control.relinkKeepsLabels ? now.link?.labels : {};
      const link = { ...newLink(layout, to, false), labels: labels ?? {} };
      const replaced = { ...now, link, ...(now.pdfPage !== undefined && { pdfPage: 1 }) };
      const [top = 0, left = 0] = now.bounds;
      const [height, width] = sizeOf(replaced);
      if (control.relinkKeeps === 'bounds') return { ...replaced, angle: 0 };
      const isKept =
        control.relinkKeeps === 'preference' && control.imagePreferences.preserveBounds;
      return isKept
        ? replaced
        : { ...replaced, shown: [top, left, top + height, left + width], angle: 0 };
    });
  };
  const graphicObject = (layout: Open, frame: number): object =>
    made('Image', {
      get geometricBounds() {
        return [...shownIn(pictureNow(layout, frame))];
      },
      set geometricBounds(shown: readonly number[]) {
        if (!Array.isArray(shown) || shown.length !== 4) fail('Invalid value.');
        pictureChange(layout, 'set shown', frame, ({ angle = 0 }) =>
          // How the bounds of what is rotated change it is not described.
          angle !== 0 ? fail('the picture is rotated') : control.ignoresBounds ? {} : { shown },
        );
      },
      get absoluteHorizontalScale() {
        return scaleOf(pictureNow(layout, frame), 1);
      },
      get absoluteVerticalScale() {
        return scaleOf(pictureNow(layout, frame), 0);
      },
      get absoluteRotationAngle() {
        return pictureNow(layout, frame).angle ?? 0;
      },
      set absoluteRotationAngle(angle: number) {
        pictureChange(layout, 'set angle', frame, () => ({ angle }));
      },
      absoluteShearAngle: 0,
      get pdfAttributes() {
        if (pictureNow(layout, frame).pdfPage === undefined) fail('Image.pdfAttributes');
        return made('PDFAttribute', {
          get pageNumber() {
            return pictureNow(layout, frame).pdfPage;
          },
          set pageNumber(page: unknown) {
            if (typeof page !== 'number') fail('Invalid value.');
            pictureChange(layout, 'set PDF page', frame, () => ({ pdfPage: page as number }));
          },
        });
      },
      get constructorName() {
        return pictureNow(layout, frame).pdfPage === undefined ? 'Image' : 'PDF';
      },
      get itemLink() {
        const { link } = pictureNow(layout, frame);
        return linkObject(layout, frame, link?.id ?? 0);
      },
      get parent() {
        return pictureFrame(layout, frame);
      },
    });
  const pictureFrame = (layout: Open, id: number): object => {
    const now = (): SimulatedPicture => pictureNow(layout, id);
    return made(now().kind, {
      constructorName: now().kind,
      get locked() {
        return now().locked;
      },
      set locked(locked: boolean) {
        change(layout, 'set locked', (content) => {
          if (layerNow(layout, now().layer).locked) return fail('The layer is locked.');
          const pictures = content.pictures.map((one) =>
            one.id === id ? { ...one, locked } : one,
          );
          return [{ ...content, pictures }, undefined];
        });
      },
      get graphics() {
        return made('Graphics', {
          length: now().link ? 1 : 0,
          item: (at: number) => (at === 0 && now().link ? graphicObject(layout, id) : fail('none')),
        });
      },
      get itemLayer() {
        return layerObject(layout, now().layer);
      },
      get geometricBounds() {
        return [...now().bounds];
      },
      set geometricBounds(bounds: readonly number[]) {
        if (!Array.isArray(bounds) || bounds.length !== 4) fail('Invalid value.');
        pictureChange(layout, 'set bounds', id, () => ({ bounds }));
      },
      place: (file: unknown, showingOptions: unknown) => {
        pictureChange(layout, 'place', id, () => ({ link: newLink(layout, file, showingOptions) }));
        return [graphicObject(layout, id)];
      },
      fit: (given: unknown) => {
        if (given !== enumerations.FitOptions.PROPORTIONALLY) return fail('not a FitOptions');
        pictureChange(layout, 'fit', id, ({ bounds: [top = 0, , bottom = 0] }) => ({
          scale: (bottom - top) / control.pictureSize[0],
        }));
        return undefined;
      },
    });
  };
  /** A new frame of the size of the picture. */
  const placeNew = (
    layout: Open,
    [left, top]: readonly number[],
    page_: number,
    file: unknown,
    showingOptions: unknown,
  ): object[] => {
    const { activeLayer: layer } = layout.work;
    return change(layout, 'place', (content) => {
      if (layerNow(layout, layer).locked) return fail('The layer is locked.');
      if (left === undefined || top === undefined) return fail('Invalid value.');
      const link = newLink(layout, file, showingOptions);
      const [height, width] = control.pictureSize;
      const picture: SimulatedPicture = {
        ...{
          id: 3000 + link.id,
          layer,
          page: page_,
          bounds: [top, left, top + height, left + width],
        },
        ...{ locked: false, kind: 'Rectangle', link, scale: 1 },
      };
      const next = { ...content, pictures: [...content.pictures, picture] };
      return [next, [graphicObject(layout, picture.id)]];
    });
  };
  const selectionOf = (layout: Open): object[] => {
    const { selection } = control;
    if (selection === 'nothing') return [];
    const cursor = made('InsertionPoint', {
      constructorName: 'InsertionPoint',
      place: (file: unknown, showingOptions: unknown) =>
        placeNew(layout, [0, 0], 200, file, showingOptions),
    });
    if (selection === 'cursor') return [cursor];
    if (selection === 'several') return [cursor, cursor];
    return [
      selection.picture
        ? graphicObject(layout, selection.frame)
        : pictureFrame(layout, selection.frame),
    ];
  };
  /** Of a page: beside the others of its spread, or from its own corner. */
  const boundsOf = (layout: Open, place: number): readonly number[] => {
    const { pageSize: [height, width] = [800, 600], rulers = 'spread' } = layout;
    const first = layout.pages.findIndex(
      (_, at) => spreadOf(layout, at) === spreadOf(layout, place),
    );
    const left = rulers === 'page' ? 0 : (place - first) * width;
    return [0, left, height, left + width];
  };
  const page = (layout: Open, place: number): object => {
    const object = made('Page', {
      id: 200 + place,
      name: layout.pages[place] ?? 'A',
      parent: made('Spread', { id: 900 + spreadOf(layout, place) }),
      bounds: boundsOf(layout, place),
      place: (...given: readonly unknown[]) => {
        const [file, point, layer, showingOptions, ...others] = given;
        if (!Array.isArray(point) || layer !== undefined || others.length > 0)
          return fail('place: not the documented arguments');
        return placeNew(layout, point as number[], 200 + place, file, showingOptions);
      },
      textFrames: made('TextFrames', {
        add: (layer: object, at: unknown, reference: unknown, properties: unknown) => {
          const id = layerIds.get(layer) ?? fail("Invalid value for parameter 'layer'.");
          const { geometricBounds, contents, label, ...others } = properties as Record<
            string,
            unknown
          >;
          if (
            at !== undefined ||
            reference !== undefined ||
            !Array.isArray(geometricBounds) ||
            geometricBounds.length !== 4 ||
            typeof contents !== 'string' ||
            typeof label !== 'string' ||
            Object.keys(others).length > 0
          )
            return fail('add: not the documented arguments');
          const frame = {
            layer: id,
            page: 200 + place,
            bounds: geometricBounds as number[],
            contents,
            label,
          };
          return change(layout, 'add frame', (content) => {
            if (layerNow(layout, id).locked) return fail('The layer is locked.');
            const next = { ...content, frames: [...content.frames, frame] };
            return [next, frameObject(layout, frame)];
          });
        },
      }),
    });
    pageIds.set(object, 200 + place);
    return object;
  };
  const addLayer = (layout: Open, properties: Record<string, unknown>): object => {
    const { name, label, printable, ...others } = properties;
    if (typeof name !== 'string' || typeof label !== 'string' || Object.keys(others).length > 0)
      return fail('add: not the documented properties');
    return change(layout, 'add layer', (content) => {
      const id = Math.max(...content.layers.map((one) => one.id)) + 1;
      const layer = { id, name, label, printable: printable !== false, locked: false };
      // The user draws on it from now on.
      layout.work.activeLayer = id;
      return [{ ...content, layers: [layer, ...content.layers] }, layerObject(layout, id)];
    });
  };
  const undoIn = ({ work }: Open): void => {
    work.undoHistory.pop();
    const before = work.before.pop();
    if (before) work.content = before;
  };
  /** Application page: a synchronous function as one step. What an exception in it does is not described: here it comes out, and what was done stays. */
  const doScript = (...given: readonly unknown[]): undefined => {
    control.calls.push('doScript');
    const [run, language, args, mode, name] = given;
    const { ScriptLanguage, UndoModes } = enumerations;
    if (
      typeof run !== 'function' ||
      language !== ScriptLanguage.UXPSCRIPT ||
      mode !== UndoModes.ENTIRE_SCRIPT ||
      !Array.isArray(args) ||
      typeof name !== 'string'
    )
      return fail('doScript: not the documented arguments');
    if (control.calls.length === control.failsAt) return fail('doScript failed');
    const layout = front();
    const before = layout.work.content;
    script = before;
    try {
      const result: unknown = (run as () => unknown)();
      if (result !== undefined) return fail('the script is not synchronous');
    } finally {
      script = null;
      if (layout.work.content !== before) {
        layout.work.before.push(before);
        layout.work.undoHistory.push(name);
      }
    }
    return undefined;
  };
  const windowOf = (layout: Open): object => {
    const { work } = layout;
    return made('LayoutWindow', {
      get activePage() {
        return page(layout, work.inFront === 'parent' || work.inFront === null ? -1 : work.inFront);
      },
      set activePage(to: object) {
        work.inFront = (pageIds.get(to) ?? fail('Invalid value.')) - 200;
      },
      get activeLayer() {
        return layerObject(layout, work.activeLayer);
      },
      set activeLayer(to: object) {
        work.activeLayer = layerIds.get(to) ?? fail('Invalid value.');
      },
      zoom: (given: unknown) => {
        if (typeof given !== 'number') fail("Invalid value for parameter 'given'.");
        work.zoom = given;
      },
    });
  };
  const propertyOf = (
    { documentId = null, work }: (typeof open)[number],
    namespace: unknown,
    path: unknown,
  ): string | null => {
    if (typeof namespace !== 'string' || typeof path !== 'string')
      return fail('getProperty takes a namespace and a path');
    const properties: Readonly<Record<string, string>> =
      documentId === null
        ? {}
        : { DocumentID: documentId, InstanceID: `xmp.iid:${documentId}-${work.saves}` };
    const value = namespace === MEDIA_MANAGEMENT ? properties[path] : undefined;
    if (value === undefined && control.missingProperty === 'throw') return fail('no such property');
    return value ?? null;
  };
  const documentOf = (layout: (typeof open)[number]): object => {
    const { name, pages, work } = layout;
    const { inFront } = work;
    return made('Document', {
      id: work.id,
      name,
      modified: work.modified,
      get undoHistory() {
        return [...work.undoHistory];
      },
      metadataPreferences: made('MetadataPreference', {
        getProperty: (namespace: unknown, path: unknown) => propertyOf(layout, namespace, path),
      }),
      pages: made('Pages', {
        length: pages.length,
        item: (place: number) =>
          place < pages.length ? page(layout, place) : fail('no such page'),
      }),
      spreads: made('Spreads', {
        length: new Set(pages.map((_, place) => spreadOf(layout, place))).size,
      }),
      layoutWindows: made('LayoutWindows', {
        length: inFront === null ? 0 : 1,
        item: () => (inFront === null ? fail('no such window') : windowOf(layout)),
      }),
      get layers() {
        const { layers } = work.content;
        return made('Layers', {
          length: layers.length,
          item: (at: number) => layerObject(layout, layers[at]?.id ?? fail('no such layer')),
          add: (properties: Record<string, unknown>) => addLayer(layout, properties),
        });
      },
      get links() {
        const all = work.content.pictures.flatMap(({ id, link }) => (link ? [[id, link.id]] : []));
        return made('Links', {
          length: all.length,
          item: (at: number) => {
            const [frame = 0, id = 0] = all[at] ?? fail('no such link');
            return linkObject(layout, frame, id);
          },
        });
      },
      get selection() {
        return selectionOf(layout);
      },
      undo: () => {
        if (control.refusesUndo) fail('Cannot undo.');
        undoIn(layout);
      },
      exportFile: (format: unknown, to: unknown, showingOptions?: unknown, using?: unknown) =>
        exportFile(layout, format, to, showingOptions, using),
    });
  };

  const front = (): (typeof open)[number] => open[0] ?? fail('No documents are open.');

  const control: InDesignControl = {
    openDocument(document) {
      nextId += 1;
      const { layers = ['Layer 1'], inFront = 0 } = document;
      const work: Work = {
        id: nextId,
        modified: false,
        undoHistory: [],
        saves: 0,
        links: 0,
        content: {
          layers: layers.map((name, at) => ({
            ...{ id: 50 + at, name, label: '' },
            ...{ printable: true, locked: false },
          })),
          frames: [],
          pictures: [],
        },
        before: [],
        inFront,
        activeLayer: 50,
        zoom: undefined,
      };
      open.unshift({ ...document, work });
    },
    edit(action = 'Move Item') {
      const { work } = front();
      if (action !== 'same') {
        work.undoHistory.push(action);
        work.before.push(null);
      }
      work.modified = true;
    },
    save(name, type = 'afterSave') {
      const layout = open.find((one) => one.name === name) ?? front();
      if (type !== 'afterSaveACopy') {
        layout.work.modified = false;
        layout.work.saves += 1;
      }
      fire(layout, type);
    },
    content: () => front().work.content,
    draw({ page: on = 200, bounds = [0, 0, 10, 10], contents = '', label = '', layer }) {
      const { work } = front();
      const frame = { layer, page: on, bounds, contents, label };
      work.content = { ...work.content, frames: [...work.content.frames, frame] };
    },
    drawPicture(frame) {
      const { work } = front();
      const id = frame.id ?? 2000 + work.content.pictures.length;
      const picture: SimulatedPicture = {
        ...{ id, layer: 50, page: 200, bounds: [100, 100, 300, 400] },
        ...{ locked: false, kind: 'Rectangle', link: null, scale: 1 },
        ...work.content.pictures.find((one) => one.id === id),
        ...frame,
      };
      const others = work.content.pictures.filter((one) => one.id !== id);
      work.content = { ...work.content, pictures: [...others, picture] };
      return id;
    },
    lockLayer(id) {
      const { work } = front();
      const layers = work.content.layers.map((one) =>
        one.id === id ? { ...one, locked: true } : one,
      );
      work.content = { ...work.content, layers };
    },
    selection: 'nothing',
    placeTakes: 'path',
    pictureSize: [100, 150],
    pictureSizes: new Map(),
    relinkKeeps: 'preference',
    relinkKeepsLabels: false,
    ignoresBounds: false,
    imagePreferences: { preserveBounds: false },
    missingLabel: 'empty',
    undo: () => undoIn(front()),
    undoSteps: () => [...front().work.undoHistory],
    view() {
      const { inFront, activeLayer, zoom } = front().work;
      return { page: 200 + Number(inFront), layer: activeLayer, zoom };
    },
    calls: [],
    failsAt: 0,
    refusesUndo: false,
    eventTarget: 'document',
    get listeners() {
      return listeners.size;
    },
    get pdfPresets() {
      return pdfPresets.map(({ name }) => name);
    },
    set pdfPresets(names) {
      pdfPresets = names.map(presetNamed);
    },
    refusesPresets: false,
    bleedWidths: 'settable',
    missingProperty: 'null',
    closeDocuments() {
      open.length = 0;
    },
    busy: false,
    addsPageNumber: false,
    takes: 'entry',
    enumerations: 'opaque',
    exportsLater: false,
    exports,
    preferences() {
      const copy = (members: Record<string, unknown>): Record<string, unknown> => ({
        ...members,
        pageString: pageStrings.get(members),
      });
      return { pdf: { ...pdf }, jpg: copy(jpg), png: copy(png) };
    },
  };

  control.pdfPresets = ['[High Quality Print]', '[PDF/X-4:2008]'];

  const app = {
    get documents() {
      return made('Documents', {
        length: open.length,
        item: (place: number) => documentOf(open[place] ?? fail('no such document')),
      });
    },
    get activeDocument() {
      return documentOf(front());
    },
    get pdfExportPresets() {
      return made('PDFExportPresets', {
        length: pdfPresets.length,
        item: (place: number) => pdfPreset(pdfPresets[place] ?? fail('no such preset')),
      });
    },
    addEventListener,
    doScript,
    get imagePreferences() {
      return control.imagePreferences;
    },
    pdfExportPreferences: preferencesOf('PDFExportPreference', pdf),
    jpegExportPreferences: preferencesOf('JPEGExportPreference', jpg),
    pngExportPreferences: preferencesOf('PNGExportPreference', png),
  };
  const named = Object.entries(enumerations).map(([name, values]) => [
    name,
    made(name, membersOf(name, values)),
  ]);
  const indesign = { app: made('app', app), ...(Object.fromEntries(named) as object) };
  return { indesign: made('indesign', indesign), control };

  /** Preferences that take no object. */
  function preferencesOf<T extends object>(name: string, members: T): T {
    return new Proxy(made(name, members), {
      set: (target, preference, value) => {
        if (typeof value === 'object')
          fail(`Invalid value for set property '${String(preference)}'.`);
        if (String(preference) in pdfSettings())
          checkSetting(target as Record<string, unknown>, String(preference), value);
        return Reflect.set(target, preference, value);
      },
    });
  }

  /** The members as getters, so that a test may choose at any time what they are. */
  function membersOf(name: string, values: Readonly<Record<string, number>>): object {
    const members = Object.entries(values).map(([member, value]): [string, PropertyDescriptor] => [
      member,
      // A new object each time: they cannot be compared either.
      {
        get: () => (control.enumerations === 'opaque' ? made(`${name}.${member}`, {}) : value),
      },
    ]);
    return Object.defineProperties({}, Object.fromEntries(members));
  }
}
