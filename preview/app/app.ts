/** The page of the simulated creative app: the open document, the dock with the panel, and the preview's toolbar. */
import { CommentMarks } from './comment-marks.js';
import './creative-app.js';
import { croppedTo, exportCanvas, thumbnailOf } from './export-document.js';
import {
  LANGUAGES,
  readOptions,
  THEMES,
  WIDTH,
  writeOptions,
  type PreviewOptions,
  type Theme,
} from './options.js';
import { PanelMenu } from './panel-menu.js';
import { DOCUMENT_SIZE, drawBird, drawPicture } from './picture.js';
import { PictureFolder } from './picture-folder.js';
import { PlacedPictures } from './placed-pictures.js';
import { isSceneName, SCENES } from './states/all-scenes.js';

function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new TypeError(`The page has no #${id}.`);
  }
  return found;
}

const frame = element('panel', HTMLIFrameElement);
const dock = element('dock', HTMLElement);
const themeMenu = element('theme', HTMLSelectElement);
const languageMenu = element('language', HTMLSelectElement);
const stateMenu = element('state', HTMLSelectElement);
const widthField = element('width', HTMLInputElement);
const widthText = element('width-text', HTMLOutputElement);
const toggle = element('toggle', HTMLButtonElement);
const panelMenu = new PanelMenu(
  element('panel-menu', HTMLButtonElement),
  element('panel-menu-list', HTMLElement),
);
window.setPanelMenu = (menu) => panelMenu.set(menu);

let options: PreviewOptions = readOptions(location.search);
let open = true;

function show(): void {
  document.documentElement.dataset['theme'] = options.theme;
  // Only the theme changes while a panel runs, as in a host: its CSS variables change, and nothing reloads.
  const panel = frame.contentDocument?.documentElement;
  if (panel !== undefined) {
    panel.dataset['theme'] = options.theme;
  }
  dock.style.width = `${options.width}px`;
  themeMenu.value = options.theme;
  languageMenu.value = options.language;
  stateMenu.value = options.state ?? '';
  widthField.value = widthText.value = String(options.width);
  toggle.textContent = open ? 'Close panel' : 'Open panel';
  dock.classList.toggle('closed', !open);
  history.replaceState(null, '', writeOptions(options));
}

/** Loads the panel again if it is open; otherwise unloads it, which ends everything it was doing. */
function load(): void {
  const page = options.state === null ? '/panel/' : '/states';
  const address = open ? `${page}${writeOptions(options)}` : 'about:blank';
  panelMenu.set([]); // its entries belong to the plugin that is unloaded
  frame.contentWindow?.location.replace(address); // without an entry in the page's history
}

function change(changed: Partial<PreviewOptions>): void {
  options = { ...options, ...changed };
  show();
}

async function readManifest(): Promise<unknown> {
  const response = await fetch('/panel/manifest.json');
  return response.ok ? await response.json() : undefined;
}

/** The panel's title as the plugin's manifest gives it for this language. */
async function showTitle(): Promise<void> {
  const label = panelLabel(await readManifest(), options.language);
  if (label !== undefined) {
    element('title', HTMLElement).textContent = label;
  }
}

function panelLabel(manifest: unknown, language: string): string | undefined {
  const entries = property(manifest, 'entrypoints');
  const panel: unknown = Array.isArray(entries)
    ? entries.find((entry) => property(entry, 'type') === 'panel')
    : undefined;
  const label = property(panel, 'label');
  const texts = [
    label,
    property(label, language),
    property(label, language.slice(0, 2)),
    property(label, 'default'),
  ];
  return texts.find((text) => typeof text === 'string');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (Reflect.get(value, name) as unknown)
    : undefined;
}

/** A document of the app. The first one is in front. */
interface OpenFile {
  readonly key: string;
  readonly name: string;
  readonly canvas: () => HTMLCanvasElement;
  /** Left, top, width and height of each artboard, by its name. */
  readonly artboards: Readonly<Record<string, readonly [number, number, number, number]>>;
}

/** A document's XMP, as far as it identifies the document. */
function xmpOf(name: string): string {
  const id = name.toLowerCase().replaceAll(' ', '-');
  return `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmpMM:DocumentID="xmp.did:preview-${id}"/></rdf:RDF></x:xmpmeta>`;
}

/** The picture in other colours. */
function tinted(canvas: HTMLCanvasElement, filter: string): HTMLCanvasElement {
  const other = document.createElement('canvas');
  other.width = canvas.width / 2;
  other.height = canvas.height / 2;
  const context = other.getContext('2d');
  if (context !== null) {
    context.filter = filter;
    context.drawImage(canvas, 0, 0, other.width, other.height);
  }
  return other;
}

function openDocuments(): void {
  const canvas = element('document', HTMLCanvasElement);
  const { width, height } = DOCUMENT_SIZE;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context !== null) {
    drawPicture(context);
  }
  let changes = 0;
  element('edit', HTMLButtonElement).addEventListener('click', () => {
    if (context !== null) {
      drawBird(context, changes);
    }
    changes += 1;
  });
  const front: OpenFile = {
    key: 'lake',
    name: 'Lake at dusk',
    canvas: () => canvas,
    artboards: { Lake: [0, 0, width / 2, height], Shore: [width / 2, 0, width / 2, height] },
  };
  const files: readonly OpenFile[] = [
    front,
    {
      key: 'grey',
      name: 'Lake in black and white',
      canvas: () => tinted(canvas, 'grayscale(1)'),
      artboards: {},
    },
    {
      key: 'warm',
      name: 'Lake in summer',
      canvas: () => tinted(canvas, 'sepia(0.5)'),
      artboards: {},
    },
  ];
  // The same changes give the same picture.
  const stateOf = ({ key }: OpenFile): string => `${key}:${changes}`;
  window.exportOpenDocument = (settings, { documentKey, partId }) => {
    const file = documentKey === null ? front : files.find(({ key }) => key === documentKey);
    const place = partId === null ? undefined : file?.artboards[partId];
    if (!file || (partId !== null && !place)) {
      return Promise.resolve(null);
    }
    return place
      ? exportCanvas(croppedTo(file.canvas(), place), `${file.name} – ${partId}`, settings)
      : exportCanvas(file.canvas(), file.name, settings);
  };
  window.readOpenDocument = () => ({
    key: front.key,
    name: `${front.name}.psd`,
    xmp: xmpOf(front.name),
    stateId: stateOf(front),
    thumbnail: (px) => Promise.resolve(thumbnailOf(canvas, px)),
  });
  const folder = new PictureFolder();
  const placed = new PlacedPictures(element('placed', HTMLElement), front.key, folder);
  window.placedPictures = {
    placedFiles: placed,
    placedFileUpdates: placed,
    downloads: folder.downloads,
    folders: (toPhoto) => folder.folders(toPhoto),
  };
  element('links', HTMLButtonElement).addEventListener('click', () => {
    void placeExamples(placed, canvas);
  });
  window.documentComments = new CommentMarks(element('marks', HTMLElement), front.key);
  window.readDocuments = () =>
    files.map((file) => ({
      key: file.key,
      name: `${file.name}.psd`,
      xmp: xmpOf(file.name),
      stateId: stateOf(file),
      isFront: file === front,
      parts: Object.keys(file.artboards).map((name) => ({ id: name, name })),
    }));
}

async function placeExamples(placed: PlacedPictures, canvas: HTMLCanvasElement): Promise<void> {
  const permissions = property(await readManifest(), 'requiredPermissions');
  const domains = property(property(permissions, 'network'), 'domains');
  const origin = Array.isArray(domains) ? String(domains[0]) : '';
  const picture = await fetch(thumbnailOf(canvas, 480));
  placed.addExamples(origin, await picture.blob());
}

for (const name of THEMES) {
  themeMenu.append(new Option(name.charAt(0).toUpperCase() + name.slice(1), name));
}
for (const [code, name] of Object.entries(LANGUAGES)) {
  languageMenu.append(new Option(`${name} · ${code}`, code));
}
if (!(options.language in LANGUAGES)) {
  languageMenu.append(new Option(options.language, options.language));
}
stateMenu.append(new Option('The running plugin', ''));
for (const [name, { title }] of Object.entries(SCENES)) {
  stateMenu.append(new Option(title, name));
}
widthField.min = String(WIDTH.min);
widthField.max = String(WIDTH.max);

themeMenu.addEventListener('change', () => change({ theme: themeMenu.value as Theme }));
widthField.addEventListener('input', () => change({ width: Number(widthField.value) }));
languageMenu.addEventListener('change', () => {
  change({ language: languageMenu.value });
  load();
  void showTitle();
});
stateMenu.addEventListener('change', () => {
  change({ state: isSceneName(stateMenu.value) ? stateMenu.value : null });
  load();
});
toggle.addEventListener('click', () => {
  open = !open;
  show();
  load();
});
frame.addEventListener('load', show); // the theme may have changed while the panel was loading

show();
openDocuments();
load();
void showTitle();
