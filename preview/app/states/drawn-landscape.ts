/** The shorter side, in pixels. */
const SIZE = 88;
const drawn = new Map<string, string>();

/**
 * A small drawn landscape in place of a photo, as a data URL. The same text always gives the same picture.
 * A text such as `lake 3x2` gives a picture of that shape, others a square.
 */
export function picture(seed: string): string | null {
  const known = drawn.get(seed);
  if (known !== undefined) {
    return known;
  }
  const canvas = document.createElement('canvas');
  const [, across = '1', down = '1'] = /(\d+)x(\d+)$/.exec(seed) ?? [];
  const scale = SIZE / Math.min(Number(across), Number(down));
  const [width, height] = [Number(across) * scale, Number(down) * scale];
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext('2d');
  if (!pen) {
    return null;
  }
  const number = Array.from(seed).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 997, 7);
  const hue = (number * 37) % 360;
  const sky = pen.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, `hsl(${hue} 45% 45%)`);
  sky.addColorStop(1, `hsl(${(hue + 30) % 360} 55% 75%)`);
  pen.fillStyle = sky;
  pen.fillRect(0, 0, width, height);
  for (const [share, light] of [
    [0.57, 38],
    [0.75, 24],
  ] as const) {
    pen.fillStyle = `hsl(${hue} 35% ${light}%)`;
    pen.beginPath();
    pen.moveTo(0, height);
    for (let x = 0; x <= width; x += 8) {
      pen.lineTo(
        x,
        share * height + 9 * Math.sin((x + number) / 13) + 5 * Math.sin((x * number) / 90),
      );
    }
    pen.lineTo(width, height);
    pen.fill();
  }
  const url = canvas.toDataURL('image/jpeg', 0.8);
  drawn.set(seed, url);
  return url;
}
