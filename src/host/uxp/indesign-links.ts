import { CwError, toCwError } from '../../util/errors.js';
import type { DownloadedFile } from '../downloads.js';
import type { PlacedFile, PlacedFiles } from '../placed-files.js';
import { readFileIdentity, writeFileIdentity } from '../placed-identity.js';
import { member } from './indesign-enumeration.js';
import { hasEntry } from './downloads.js';
import { boundsOf, inDesignDocumentOf, isAboutParameter, runAsStep } from './indesign-step.js';
import type {
  InDesignDocument,
  InDesignGraphic,
  InDesignLink,
  InDesignModule,
  InDesignPage,
  InDesignSelected,
} from './indesign-module.js';
import type { UxpFile } from './uxp-module.js';

/** Key of the label of a link that has its identity. It stays in the document. */
export const LABEL = 'creative-workspace';

/** Classes of frames that take a picture. */
const FRAMES: readonly unknown[] = ['Rectangle', 'Oval', 'Polygon'];

/** Distance from the corner of the page, and the longest side, as parts of the page. */
const MARGIN = 0.1;

/** What a file is placed into. @returns the graphic, or a list with it */
type Target = (file: string | UxpFile) => unknown;

/** Links with their identities as labels (Link, Rectangle, InsertionPoint and Page pages). */
export function createInDesignLinks(indesign: InDesignModule): PlacedFiles {
  return {
    list: (documentKey) =>
      Promise.resolve().then(() => {
        const document = inDesignDocumentOf(indesign, documentKey);
        try {
          return linksOf(document).map((link) => read(indesign, link));
        } catch (error) {
          throw new CwError('CW-815', 'InDesign does not give its links', { cause: error });
        }
      }),

    async place(documentKey, file, identity, stepName) {
      const document = inDesignDocumentOf(indesign, documentKey);
      let target: Target;
      try {
        mustBeInFront(indesign, document);
        target = targetOf(indesign, document);
      } catch (error) {
        throw toCwError(error, 'CW-815', 'InDesign does not give what is selected');
      }
      await runAsStep(
        indesign,
        document,
        stepName,
        () => {
          const link = graphicIn(placeInto(target, file)).itemLink;
          mustShow(link, file);
          link.insertLabel(LABEL, writeFileIdentity(file, identity));
        },
        'CW-815',
      );
    },
  };
}

export function linksOf({ links }: InDesignDocument): readonly InDesignLink[] {
  return Array.from({ length: links.length }, (_, index) => links.item(index));
}

function read(indesign: InDesignModule, link: InDesignLink): PlacedFile {
  return {
    key: String(link.id),
    name: link.name,
    path: link.filePath || null,
    identity: readFileIdentity(labelOf(link), link.name),
    state: stateOf(indesign, link),
  };
}

/** An absent label is an empty text or an error: the page does not say. */
export function labelOf(link: InDesignLink): unknown {
  try {
    return link.extractLabel(LABEL);
  } catch {
    return null;
  }
}

/** Some versions give opaque objects, which cannot be compared. */
function stateOf(indesign: InDesignModule, { status }: InDesignLink): PlacedFile['state'] {
  const is = (name: Parameters<typeof member<'LinkStatus'>>[2]): boolean =>
    status === member(indesign, 'LinkStatus', name);
  if (is('NORMAL')) {
    return 'present';
  }
  if (is('LINK_OUT_OF_DATE')) {
    return 'changed';
  }
  if (is('LINK_MISSING') || is('LINK_INACCESSIBLE')) {
    return 'missing';
  }
  return is('LINK_EMBEDDED') ? 'embedded' : 'unknown';
}

/** @throws {CwError} CW-803 */
function mustBeInFront({ app }: InDesignModule, { id }: InDesignDocument): void {
  if (app.activeDocument.id !== id) {
    throw new CwError('CW-803', 'the document is not in front');
  }
}

/** @throws {CwError} CW-816 when it is locked */
function targetOf(indesign: InDesignModule, document: InDesignDocument): Target {
  const selected = frameOf(onlySelected(document));
  if (selected?.place) {
    const isFrame = FRAMES.includes(selected.constructorName);
    if (isFrame && (selected.locked === true || selected.itemLayer?.locked === true)) {
      throw new CwError('CW-816', 'the frame or its layer is locked');
    }
    return (file) => selected.place?.(file, false);
  }
  const window = document.layoutWindows.item(0);
  if (window.activeLayer.locked) {
    throw new CwError('CW-816', 'the layer is locked');
  }
  return (file) => placeOn(indesign, window.activePage, file);
}

/** The one object that is selected; null without one. */
function onlySelected({ selection }: InDesignDocument): InDesignSelected | null {
  const [only, second] = Array.isArray(selection) ? (selection as unknown[]) : [];
  return typeof only === 'object' && second === undefined ? only : null;
}

/** A frame, the frame of a picture, or a text cursor; null for anything whose content would be lost. */
function frameOf(selected: InDesignSelected | null): InDesignSelected | null {
  const isTarget = (one: InDesignSelected | null | undefined): boolean =>
    FRAMES.includes(one?.constructorName) || one?.constructorName === 'InsertionPoint';
  if (isTarget(selected)) {
    return selected;
  }
  return selected?.constructorName === 'Image' && isTarget(selected.parent)
    ? (selected.parent ?? null)
    : null;
}

/** By recipes/document-changes a path is placed, by the pages of classes a File. */
function placeInto(target: Target, file: DownloadedFile): unknown {
  try {
    return target(file.path);
  } catch (error) {
    const entry = hasEntry(file) ? file.entry.entry : null;
    if (entry === null || !isAboutParameter(error)) {
      throw error;
    }
    return target(entry);
  }
}

/** Places a file near the corner of a page, and makes it fit on the page when it is larger. */
function placeOn(indesign: InDesignModule, page: InDesignPage, file: string | UxpFile): unknown {
  const [top, left, bottom, right] = boundsOf(page.bounds);
  const [height, width] = [bottom - top, right - left];
  const point = [left + width * MARGIN, top + height * MARGIN] as const;
  const placed = page.place(file, point, undefined, false);
  const { parent: frame } = graphicIn(placed);
  const [frameTop, frameLeft, frameBottom, frameRight] = boundsOf(frame.geometricBounds);
  const most = 1 - 2 * MARGIN;
  const scale = Math.min(
    1,
    (height * most) / (frameBottom - frameTop),
    (width * most) / (frameRight - frameLeft),
  );
  if (scale < 1) {
    frame.geometricBounds = [
      frameTop,
      frameLeft,
      frameTop + (frameBottom - frameTop) * scale,
      frameLeft + (frameRight - frameLeft) * scale,
    ];
    frame.fit(member(indesign, 'FitOptions', 'PROPORTIONALLY'));
  }
  return placed;
}

/** By their pages, methods return a graphic, or a list with one. @throws {Error} when there is none, or it comes later */
function graphicIn(placed: unknown): InDesignGraphic {
  const graphic: unknown = Array.isArray(placed) ? placed[0] : placed;
  if (typeof graphic !== 'object' || graphic === null || 'then' in graphic) {
    throw new Error('InDesign placed no graphic');
  }
  return graphic as InDesignGraphic;
}

/** @throws {Error} when the link is to another file */
export function mustShow({ name }: InDesignLink, file: DownloadedFile): void {
  if (name.normalize() !== file.name.normalize()) {
    throw new Error('InDesign placed another file');
  }
}
