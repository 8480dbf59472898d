import { toCwError, CwError } from '../../util/errors.js';
import type { LinkChange, LinkOutcome, PlacedFileUpdates } from '../placed-files.js';
import { writeFileIdentity } from '../placed-identity.js';
import { LABEL, labelOf, linksOf, mustShow } from './indesign-links.js';
import { boundsOf, inDesignDocumentOf, runAsStep } from './indesign-step.js';
import type {
  InDesignDocument,
  InDesignFrame,
  InDesignGraphic,
  InDesignModule,
} from './indesign-module.js';

type Bounds = ReturnType<typeof boundsOf>;

/** A change with the frame of its link, which outlives the link. */
interface Work extends LinkChange {
  readonly frame: InDesignFrame;
}

/** Where a picture is in its frame. */
interface Position {
  readonly bounds: Bounds;
  readonly frame: Bounds;
  readonly angle: number;
  readonly shear: number;
  /** Height and width at a scale of 1. */
  readonly size: readonly [height: number, width: number];
  /** The vertical scale as a part of the horizontal one. */
  readonly stretch: number;
}

/** Two lengths that differ by less than this part of them are the same, and so are two shapes, and two angles in degrees. */
const SAME_LENGTH = 0.001;
const SAME_SHAPE = 0.01;
const SAME_ANGLE = 0.01;

/** Gives links other files (Link, Image, PDFAttribute and ImagePreference pages). */
export function createInDesignRelinks(indesign: InDesignModule): PlacedFileUpdates {
  /** Replaces all in one step, or none. @returns why some could not be replaced */
  const attempt = async (
    document: InDesignDocument,
    wanted: readonly Work[],
    stepName: string,
  ): Promise<ReadonlyMap<string, CwError>> => {
    const failures = new Map<string, CwError>();
    try {
      await runAsStep(
        indesign,
        document,
        stepName,
        () => {
          keepingSizes(indesign, () => {
            for (const work of wanted) {
              try {
                replace(work);
              } catch (error) {
                failures.set(work.key, toCwError(error, 'CW-818', 'a link was not replaced'));
              }
            }
          });
          const [failure] = failures.values();
          if (failure) {
            throw failure;
          }
        },
        'CW-818',
      );
    } catch (error) {
      if (failures.size === 0) {
        const failure = toCwError(error, 'CW-818', 'no link was replaced');
        return new Map(wanted.map(({ key }) => [key, failure]));
      }
    }
    return failures;
  };
  return {
    canUndo: true,

    async relink(documentKey, changes, stepName) {
      const document = inDesignDocumentOf(indesign, documentKey);
      const wanted = worksOf(document, changes);
      const first = await attempt(document, wanted, stepName);
      const others = wanted.filter(({ key }) => !first.has(key));
      // The step with a failure was undone: those without one are replaced in another.
      const second =
        first.size > 0 && others.length > 0 ? await attempt(document, others, stepName) : first;
      // Undoing may have failed, too: what counts is in the document.
      return changes.map(({ key }): LinkOutcome => {
        const work = wanted.find((one) => one.key === key);
        const isReplaced = work !== undefined && hasFile(work);
        const failure = first.get(key) ?? second.get(key);
        return {
          key,
          error: isReplaced
            ? null
            : (failure ?? new CwError('CW-818', 'the link was not replaced')),
        };
      });
    },
  };
}

/** The changes of links that are in the document and have a frame. */
function worksOf(document: InDesignDocument, changes: readonly LinkChange[]): readonly Work[] {
  const links = new Map(linksOf(document).map((link) => [String(link.id), link]));
  return changes.flatMap((change): readonly Work[] => {
    try {
      const frame = links.get(change.key)?.parent.parent;
      return frame && frame.graphics.length > 0 ? [{ ...change, frame }] : [];
    } catch {
      return [];
    }
  });
}

/** Whether a frame shows the new file, and its link names it. */
function hasFile({ frame, file, identity }: Work): boolean {
  try {
    const { itemLink } = graphicOf(frame);
    mustShow(itemLink, file);
    return labelOf(itemLink) === writeFileIdentity(file, identity);
  } catch {
    return false;
  }
}

/** With the setting that keeps the size of a picture when its link changes. */
function keepingSizes({ app }: InDesignModule, work: () => void): void {
  const { imagePreferences } = app;
  const before = imagePreferences.preserveBounds;
  imagePreferences.preserveBounds = true;
  try {
    work();
  } finally {
    imagePreferences.preserveBounds = before;
  }
}

/** @throws {Error} when it is not done in full */
function replace({ frame, file, identity }: Work): void {
  unlocked([frame.itemLayer, frame], () => {
    const graphic = graphicOf(frame);
    const position = positionOf(frame, graphic);
    const page = isPdf(graphic) ? graphic.pdfAttributes.pageNumber : null;
    // Whatever fails from here on: a label never names another file than the link shows.
    graphic.itemLink.insertLabel(LABEL, '');
    graphic.itemLink.relink(file.path);
    const replaced = graphicOf(frame);
    mustShow(replaced.itemLink, file);
    replaced.itemLink.insertLabel(LABEL, writeFileIdentity(file, identity));
    if (page !== null && isPdf(replaced)) {
      keepPage(replaced, page);
    }
    restore(frame, replaced, position);
  });
}

function isPdf({ constructorName }: InDesignGraphic): boolean {
  return constructorName === 'PDF';
}

/** @throws {Error} when the new file does not have the page */
function keepPage({ pdfAttributes }: InDesignGraphic, page: number): void {
  if (pdfAttributes.pageNumber !== page) {
    pdfAttributes.pageNumber = page;
  }
  if (pdfAttributes.pageNumber !== page) {
    throw new Error('the file does not have the page');
  }
}

/** Frames and layers that are locked are locked again afterwards. */
function unlocked(items: readonly { locked: boolean }[], work: () => void): void {
  const locked = items.filter((item) => item.locked);
  for (const item of locked) {
    item.locked = false;
  }
  try {
    work();
  } finally {
    for (const item of [...locked].reverse()) {
      item.locked = true;
    }
  }
}

/** @throws {Error} when there is none */
function graphicOf({ graphics }: InDesignFrame): InDesignGraphic {
  if (graphics.length === 0) {
    throw new Error('the frame is empty');
  }
  return graphics.item(0);
}

/** @throws {Error} when InDesign gives no numbers */
function positionOf(frame: InDesignFrame, graphic: InDesignGraphic): Position {
  const bounds = boundsOf(graphic.geometricBounds);
  const [height, width] = lengthsOf(bounds);
  const { absoluteHorizontalScale, absoluteVerticalScale } = graphic;
  if (!(absoluteHorizontalScale > 0 && absoluteVerticalScale > 0)) {
    throw new Error('the picture has no scale');
  }
  return {
    bounds,
    frame: boundsOf(frame.geometricBounds),
    angle: graphic.absoluteRotationAngle,
    shear: graphic.absoluteShearAngle,
    size: [(100 * height) / absoluteVerticalScale, (100 * width) / absoluteHorizontalScale],
    stretch: absoluteVerticalScale / absoluteHorizontalScale,
  };
}

/** Puts a picture where the one before was. @throws {Error} when it is not there afterwards */
function restore(frame: InDesignFrame, graphic: InDesignGraphic, before: Position): void {
  if (!areSame(boundsOf(frame.geometricBounds), before.frame)) {
    frame.geometricBounds = before.frame;
  }
  if (Math.abs(graphic.absoluteRotationAngle - before.angle) > SAME_ANGLE) {
    graphic.absoluteRotationAngle = before.angle;
  }
  if (Math.abs(graphic.absoluteShearAngle - before.shear) > SAME_ANGLE) {
    graphic.absoluteShearAngle = before.shear;
  }
  const wanted = boundsFor(positionOf(frame, graphic), before);
  if (!areSame(boundsOf(graphic.geometricBounds), wanted)) {
    graphic.geometricBounds = wanted;
  }
  const now = positionOf(frame, graphic);
  const isThere =
    areSame(now.bounds, wanted) &&
    areSame(now.frame, before.frame) &&
    Math.abs(now.angle - before.angle) <= SAME_ANGLE &&
    Math.abs(now.shear - before.shear) <= SAME_ANGLE;
  if (!isThere) {
    throw new Error('the picture is not where the one before was');
  }
}

/** Those of the picture before. One of another shape is not distorted: it covers them, with the same centre. */
function boundsFor({ size }: Position, { bounds, stretch, ...before }: Position): Bounds {
  const shape = (one: Position['size']): number => one[0] / one[1];
  const isStraight = Math.abs(before.angle) <= SAME_ANGLE && Math.abs(before.shear) <= SAME_ANGLE;
  if (!isStraight || Math.abs(shape(size) / shape(before.size) - 1) < SAME_SHAPE) {
    return bounds;
  }
  const [top, left, bottom, right] = bounds;
  const [height, width] = [size[0] * stretch, size[1]];
  const scale = Math.max((bottom - top) / height, (right - left) / width);
  const [y, x] = [(top + bottom) / 2, (left + right) / 2];
  const [up, across] = [(height * scale) / 2, (width * scale) / 2];
  return [y - up, x - across, y + up, x + across];
}

function areSame(one: Bounds, other: Bounds): boolean {
  const most = Math.max(...lengthsOf(other)) * SAME_LENGTH;
  return one.every((side, index) => Math.abs(side - (other[index] ?? Number.NaN)) <= most);
}

function lengthsOf([top, left, bottom, right]: Bounds): readonly [height: number, width: number] {
  return [bottom - top, right - left];
}
