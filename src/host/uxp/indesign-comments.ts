import { parseJsonObject, textField } from '../../util/json.js';
import type { DocumentComment, DocumentComments, FilePlace } from '../document-comments.js';
import { openInDesignDocument } from './indesign-document.js';
import { member } from './indesign-enumeration.js';
import { boundsOf, inDesignDocumentOf, runAsStep } from './indesign-step.js';
import type {
  InDesignDocument,
  InDesignLayer,
  InDesignModule,
  InDesignPage,
  InDesignTextFrame,
} from './indesign-module.js';

/** The script label of the layer, and what the labels of its frames begin with. They stay in the document. */
const LABEL = 'creative-workspace-comments';

/** Sides of a frame, as parts of its page. */
const FRAME = { width: 0.3, height: 0.08 };

/** Where a comment is in the document. */
interface Target {
  readonly page: InDesignPage;
  /** The spot, as parts of the page. */
  readonly x: number;
  readonly y: number;
  readonly isCertain: boolean;
}

/**
 * Comments as text frames on a layer that does not print (Layer, TextFrames and Application pages). Layer and frames are
 * recognised by their script labels, so a document brings its comments along.
 */
export function createInDesignComments(indesign: InDesignModule): DocumentComments {
  const run = (document: InDesignDocument, name: string, work: () => void): Promise<void> =>
    runAsStep(indesign, document, name, work, 'CW-814');
  return {
    canGoTo: true,

    goTo: (documentKey, place) =>
      Promise.resolve()
        .then(() => {
          const document = openInDesignDocument(indesign, documentKey);
          const target = document && targetOf(place, pagesOf(document));
          if (!document || !target || document.layoutWindows.length === 0) {
            return false;
          }
          const window = document.layoutWindows.item(0);
          window.activePage = target.page;
          window.zoom(member(indesign, 'ZoomOptions', 'FIT_PAGE'));
          return true;
        })
        .catch(() => false),

    async show(documentKey, comments, _marks, name) {
      const document = inDesignDocumentOf(indesign, documentKey);
      const pages = pagesOf(document);
      const targets = new Map(
        comments.flatMap((comment) => {
          const target = targetOf(comment.place, pages);
          return target ? [[comment, target] as const] : [];
        }),
      );
      const { layer, frames } = framesIn(document);
      const added = [...targets].filter(([{ id }]) => !frames.has(id));
      const wanted = new Set([...targets.keys()].map(({ id }) => id));
      const removed = [...frames].filter(([id]) => !wanted.has(id));
      if (added.length + removed.length > 0) {
        await run(document, name, () => {
          const to = layer ?? addLayer(document, name);
          to.locked = false;
          for (const [, frame] of removed) {
            frame.remove();
          }
          for (const [comment, target] of added) {
            addFrame(to, comment, target);
          }
          closeLayer(to);
        });
      }
      return {
        marks: new Map([...wanted].map((id) => [id, ''])),
        uncertain: [...targets].flatMap(([{ id }, { isCertain }]) => (isCertain ? [] : [id])),
        unplaced: comments.flatMap((comment) => (targets.has(comment) ? [] : [comment.id])),
      };
    },

    async remove(documentKey, _comments, _marks, name) {
      const document = inDesignDocumentOf(indesign, documentKey);
      const { layer, frames } = framesIn(document);
      if (layer) {
        await run(document, name, () => {
          layer.locked = false;
          for (const frame of frames.values()) {
            frame.remove();
          }
          closeLayer(layer);
        });
      }
    },
  };
}

/** Our layer, and its frames by the ids of their comments. */
function framesIn({ layers }: InDesignDocument): {
  readonly layer: InDesignLayer | null;
  readonly frames: ReadonlyMap<string, InDesignTextFrame>;
} {
  const all = Array.from({ length: layers.length }, (_, index) => layers.item(index));
  const layer = all.find(({ label }) => label === LABEL) ?? null;
  const { textFrames } = layer ?? {};
  const frames = Array.from({ length: textFrames?.length ?? 0 }, (_, index) =>
    textFrames?.item(index),
  );
  return {
    layer,
    frames: new Map(
      frames.flatMap((frame) => {
        const [, id] = /^creative-workspace-comments:(.+)$/.exec(frame?.label ?? '') ?? [];
        return frame && id !== undefined ? [[id, frame] as const] : [];
      }),
    ),
  };
}

/** A new layer becomes the one that the user draws on: the one before stays that. */
function addLayer(document: InDesignDocument, name: string): InDesignLayer {
  const window = document.layoutWindows.length > 0 ? document.layoutWindows.item(0) : null;
  const before = window?.activeLayer;
  const layer = document.layers.add({ name, label: LABEL, printable: false });
  if (window && before) {
    window.activeLayer = before;
  }
  return layer;
}

/** Removes the layer when it is empty. What the user drew on it stays. */
function closeLayer(layer: InDesignLayer): void {
  if (layer.pageItems.length === 0) {
    layer.remove();
  } else {
    layer.locked = true;
  }
}

function addFrame(
  layer: InDesignLayer,
  { id, title, text }: DocumentComment,
  { page, x, y }: Target,
): void {
  const [top, left, bottom, right] = boundsOf(page.bounds);
  const [height, width] = [bottom - top, right - left];
  const at = [top + y * height, left + x * width] as const;
  page.textFrames.add(layer, undefined, undefined, {
    geometricBounds: [...at, at[0] + FRAME.height * height, at[1] + FRAME.width * width],
    contents: `${title}\r${text.replace(/\n/g, '\r')}`,
    label: `${LABEL}:${id}`,
  });
}

/** The pages by their ids, in the order of the document. */
function pagesOf({ pages }: InDesignDocument): ReadonlyMap<number, InDesignPage> {
  const all = Array.from({ length: pages.length }, (_, place) => pages.item(place));
  return new Map(all.map((page) => [page.id, page]));
}

/** Null for a place that the document does not have any more, and for a file of several pages as a whole. */
function targetOf(place: FilePlace, pages: ReadonlyMap<number, InDesignPage>): Target | null {
  const { spot } = place;
  const body = parseJsonObject(place.source ?? '') ?? {};
  const groups = textField(body, 'pages')?.split(' ') ?? null;
  const number = place.page ?? (groups?.length === 1 ? 1 : null);
  if (number === null) {
    return null;
  }
  if (!groups) {
    // The file of an earlier version of the plugin: its pages are those of the document, as long as there are no others.
    const page = [...pages.values()][number - 1];
    return page ? { page, x: spot?.x ?? 0, y: spot?.y ?? 0, isCertain: false } : null;
  }
  const ids = groups[number - 1]?.split('+').map((id) => Number.parseInt(id, 36)) ?? [];
  const group = ids.map((id) => pages.get(id));
  const widths = group.map((page) => {
    if (!page) {
      return 0;
    }
    const [, left, , right] = boundsOf(page.bounds);
    return right - left;
  });
  let across = (spot?.x ?? 0) * widths.reduce((sum, width) => sum + width, 0);
  // The pages of a spread lie side by side.
  for (const [index, page] of group.entries()) {
    const width = widths[index] ?? 0;
    if (page && (across <= width || index === group.length - 1)) {
      const isWhole = group.every((one) => one !== undefined);
      return {
        page,
        x: width > 0 ? across / width : 0,
        y: spot?.y ?? 0,
        isCertain: spot === null || (isWhole && body['edge'] !== true),
      };
    }
    across -= width;
  }
  return null;
}
