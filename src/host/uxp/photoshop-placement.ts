import { isJsonObject } from '../../util/json.js';
import type { PhotoshopDocument, PhotoshopModule } from './photoshop-module.js';
import { layersIn, play } from './photoshop-links.js';

/** Where the content of a smart object is, in pixels. */
interface Placement {
  readonly centre: readonly [x: number, y: number];
  readonly width: number;
  readonly height: number;
}

/** Lengths that differ by less are the same. Pixels. */
const SAME = 1;
/** Sizes that differ by less than this part are the same. */
const SAME_SIZE = 0.001;

/**
 * Carries out `work`, which may give a smart object other content, and puts the content in its former place. Photoshop keeps
 * the scale, so content with more pixels becomes larger. Content of another shape covers the place.
 * @throws {Error} when Photoshop does not put it there; errors of `work`
 */
export async function keepingPlacement(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
  layer: number,
  work: () => Promise<void>,
): Promise<void> {
  const now = (): Promise<Placement> => placementOf(photoshop, document, layer);
  const before = await now();
  await work();
  const after = await now();
  if (isAt(after, before)) {
    return;
  }
  await withFreeMask(photoshop, document, layer, async () => {
    const own = layerWith(document, layer);
    const factor = Math.max(before.width / after.width, before.height / after.height);
    if (Math.abs(factor - 1) > SAME_SIZE) {
      await own.scale(factor * 100, factor * 100);
    }
    const [x, y] = (await now()).centre;
    await own.translate(before.centre[0] - x, before.centre[1] - y);
  });
  if (!isAt(await now(), before)) {
    throw new Error('the smart object is not in its place');
  }
}

/** Whether content covers a place, without more than its shape requires. */
function isAt(one: Placement, place: Placement): boolean {
  const [across, down] = [one.width - place.width, one.height - place.height];
  return (
    Math.abs(one.centre[0] - place.centre[0]) <= SAME &&
    Math.abs(one.centre[1] - place.centre[1]) <= SAME &&
    Math.abs(Math.min(across, down)) <= SAME
  );
}

/** By the corners of the content, which neither masks nor effects change; else by the bounds of the layer (Layer page). */
async function placementOf(
  { action }: PhotoshopModule,
  document: PhotoshopDocument,
  layer: number,
): Promise<Placement> {
  const [result] = await action.batchPlay([getFrom(document, layer, 'smartObjectMore')], {});
  const more = result?.['smartObjectMore'];
  const corners: unknown = isJsonObject(more) ? more['transform'] : null;
  const [x1, y1, x2, y2, x3, y3, x4, y4] = isCorners(corners)
    ? corners
    : cornersOf(layerWith(document, layer).boundsNoEffects);
  return {
    centre: [(x1 + x2 + x3 + x4) / 4, (y1 + y2 + y3 + y4) / 4],
    width: Math.hypot(x2 - x1, y2 - y1),
    height: Math.hypot(x4 - x1, y4 - y1),
  };
}

/** From the upper left one, clockwise; x and y of each. */
type Corners = readonly [number, number, number, number, number, number, number, number];

function isCorners(value: unknown): value is Corners {
  return Array.isArray(value) && value.length === 8 && value.every(Number.isFinite);
}

function cornersOf({ left, top, right, bottom }: Bounds): Corners {
  return [left, top, right, top, right, bottom, left, bottom];
}

type Bounds = PhotoshopDocument['layers'][number]['boundsNoEffects'];

/**
 * Carries out `work` while masks of a layer do not move with it. After a failure they stay free, because the step is undone. The
 * links of masks were seen in practice only.
 */
async function withFreeMask(
  photoshop: PhotoshopModule,
  document: PhotoshopDocument,
  layer: number,
  work: () => Promise<void>,
): Promise<void> {
  const linked: string[] = [];
  for (const property of ['userMaskLinked', 'vectorMaskLinked']) {
    const [result] = await photoshop.action.batchPlay([getFrom(document, layer, property)], {});
    if (result?.[property] === true) {
      linked.push(property);
    }
  }
  const link = async (isLinked: boolean): Promise<void> => {
    for (const property of linked) {
      await play(photoshop, [
        {
          _obj: 'set',
          _target: [{ _ref: 'layer', _id: layer }],
          to: { _obj: 'layer', [property]: isLinked },
          _options: { dialogOptions: 'dontDisplay' },
        },
      ]);
    }
  };
  await link(false);
  await work();
  await link(true);
}

function getFrom({ id }: PhotoshopDocument, layer: number, property: string) {
  return {
    _obj: 'get',
    _target: [
      { _property: property },
      { _ref: 'layer', _id: layer },
      { _ref: 'document', _id: id },
    ],
  };
}

/** @throws {Error} when it is gone */
function layerWith(
  { layers }: PhotoshopDocument,
  layer: number,
): PhotoshopDocument['layers'][number] {
  const found = layersIn(layers).find(({ id }) => id === layer);
  if (!found) {
    throw new Error('the layer is gone');
  }
  return found;
}
