/** Two shapes of neighbouring classes differ by this factor, so that at most one per cent of a picture is cut off. */
export const SHAPE_STEP = 1.02;

/** The classes reach from 1:4 to 4:1. */
export const SHAPE_STEPS = 70;

/**
 * The class for the shape of a picture, which `service/client/shapes.css` gives to the rows of the gallery: pages have no
 * style attributes. Without a size, 3:2.
 */
export function shapeClass(width = 3, height = 2): string {
  const steps = Math.round(Math.log(width / height) / Math.log(SHAPE_STEP));
  const shape = Math.max(-SHAPE_STEPS, Math.min(SHAPE_STEPS, steps));
  const isExtreme = shape !== steps;
  return `${shape < 0 ? 'tall' : 'wide'}-${Math.abs(shape)}${isExtreme ? ' whole' : ''}`;
}
