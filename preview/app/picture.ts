/** Size of the open document in pixels. */
export const DOCUMENT_SIZE = { width: 2400, height: 1600 } as const;

/** A small seeded generator of numbers from 0 to 1 (mulberry32), so that the picture is the same each time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const { width, height } = DOCUMENT_SIZE;
/** Where the lake meets the mountains. */
const HORIZON = height * 0.62;

/** Draws a lake between mountains at dusk. */
export function drawPicture(context: CanvasRenderingContext2D): void {
  const random = randomNumbers(7);
  drawSky(context);
  drawStars(context, random);
  drawSun(context);
  drawMountains(context, random, { base: 0.83, rise: 0.3, color: '#8d6a94', rough: 5 });
  drawMountains(context, random, { base: 0.92, rise: 0.32, color: '#5d4a7a', rough: 7 });
  drawMountains(context, random, { base: 1.01, rise: 0.26, color: '#33305a', rough: 9 });
  drawLake(context);
  drawShore(context, random);
}

function drawSky(context: CanvasRenderingContext2D): void {
  const sky = context.createLinearGradient(0, 0, 0, HORIZON);
  for (const [at, color] of [
    [0, '#16264f'],
    [0.35, '#4a4a86'],
    [0.6, '#a8658f'],
    [0.82, '#f0906b'],
    [1, '#ffd08a'],
  ] as const) {
    sky.addColorStop(at, color);
  }
  context.fillStyle = sky;
  context.fillRect(0, 0, width, HORIZON);
}

function drawStars(context: CanvasRenderingContext2D, random: () => number): void {
  for (let i = 0; i < 160; i += 1) {
    const y = random() ** 2 * HORIZON * 0.5;
    context.fillStyle = `rgb(255 255 255 / ${(1 - y / (HORIZON * 0.5)) * random()})`;
    context.fillRect(random() * width, y, 2 + random() * 2, 2 + random() * 2);
  }
}

function drawSun(context: CanvasRenderingContext2D): void {
  const [sunX, sunY] = [width * 0.37, HORIZON * 0.72];
  const sun = context.createRadialGradient(sunX, sunY, 30, sunX, sunY, 620);
  sun.addColorStop(0, 'rgb(255 244 214 / 100%)');
  sun.addColorStop(0.11, 'rgb(255 226 164 / 90%)');
  sun.addColorStop(0.14, 'rgb(255 200 130 / 40%)');
  sun.addColorStop(1, 'rgb(255 160 110 / 0%)');
  context.fillStyle = sun;
  context.fillRect(0, 0, width, HORIZON);
}

/** One range of mountains: `base` is its position, `rise` its height, and `rough` how jagged it is. */
function drawMountains(
  context: CanvasRenderingContext2D,
  random: () => number,
  { base, rise, color, rough }: { base: number; rise: number; color: string; rough: number },
): void {
  const waves = Array.from({ length: rough }, (_, i) => ({
    f: (i + 1) ** 1.5,
    p: random() * 6.28,
    a: 1 / (i + 1) ** 1.15,
  }));
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(0, HORIZON);
  for (let x = 0; x <= width; x += 4) {
    const ridge = waves.reduce(
      (sum, { f, p, a }) => sum + a * Math.abs(Math.sin((x / width) * f * 2.2 + p)),
      0,
    );
    context.lineTo(x, HORIZON * base - (ridge - 0.9) * HORIZON * rise * 0.42);
  }
  context.lineTo(width, HORIZON);
  context.fill();
}

/** Mirrors what is above the lake, darker, in strips that drift apart towards the viewer. */
function drawLake(context: CanvasRenderingContext2D): void {
  // The strips come from a copy: drawing a canvas into itself would copy all of it for each strip.
  const above = new OffscreenCanvas(width, Math.ceil(HORIZON));
  above.getContext('2d')?.drawImage(context.canvas, 0, 0);
  const depth = height - HORIZON;
  for (let y = 0; y < depth; y += 4) {
    const source = HORIZON - 4 - (y / depth) * HORIZON * 0.72;
    const drift = Math.sin(y * 0.35) * (y / depth) * 14;
    context.drawImage(above, 0, source, width, 4, drift - 15, HORIZON + y, width + 30, 4);
  }
  const water = context.createLinearGradient(0, HORIZON, 0, height);
  water.addColorStop(0, 'rgb(20 26 60 / 15%)');
  water.addColorStop(1, 'rgb(8 12 34 / 82%)');
  context.fillStyle = water;
  context.fillRect(0, HORIZON, width, depth);
}

/** Trees on the left, and the ground they stand on. */
function drawShore(context: CanvasRenderingContext2D, random: () => number): void {
  context.fillStyle = '#0d1026';
  for (let x = -20; x < width * 0.36; x += 26 + random() * 22) {
    const tall = (150 + random() * 190) * (1 - x / (width * 0.5));
    const foot = height * 0.985 - (1 - x / (width * 0.36)) * 150;
    for (let layer = 0; layer < 6; layer += 1) {
      const top = foot - tall + (layer * tall) / 7;
      const half = 10 + layer * 8;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x + half, top + tall / 3.4);
      context.lineTo(x - half, top + tall / 3.4);
      context.fill();
    }
  }
  context.beginPath();
  context.moveTo(0, height);
  context.lineTo(0, height * 0.86);
  context.quadraticCurveTo(width * 0.22, height * 0.89, width * 0.46, height);
  context.fill();
}

/** Draws one more bird in the sky. @param count  birds that are there already */
export function drawBird(context: CanvasRenderingContext2D, count: number): void {
  const random = randomNumbers(100 + count);
  const [x, y] = [width * (0.45 + 0.5 * random()), height * (0.08 + 0.25 * random())];
  const span = 34 + 30 * random();
  context.strokeStyle = '#0d1026';
  context.lineWidth = 8;
  context.lineCap = 'round';
  context.beginPath();
  context.moveTo(x - span, y - span * 0.35);
  context.quadraticCurveTo(x - span * 0.4, y - span * 0.55, x, y);
  context.quadraticCurveTo(x + span * 0.4, y - span * 0.55, x + span, y - span * 0.35);
  context.stroke();
}
