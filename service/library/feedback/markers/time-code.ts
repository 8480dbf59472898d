/** A frame rate as an exact fraction, in frames per second. */
export interface FrameRate {
  readonly frames: number;
  readonly seconds: number;
}

/** The time code of the first frame of a film (SMPTE ST 12-1). */
export interface TimeCodeStart {
  /** How many frames it is after 00:00:00:00. */
  readonly frames: number;
  readonly isDropFrame: boolean;
}

/** The frame rates of video editing, by the names that people use. */
const FRAME_RATES: Readonly<Record<string, FrameRate>> = {
  '23.976': { frames: 24_000, seconds: 1001 },
  '24': { frames: 24, seconds: 1 },
  '25': { frames: 25, seconds: 1 },
  '29.97': { frames: 30_000, seconds: 1001 },
  '30': { frames: 30, seconds: 1 },
  '48': { frames: 48, seconds: 1 },
  '50': { frames: 50, seconds: 1 },
  '59.94': { frames: 60_000, seconds: 1001 },
  '60': { frames: 60, seconds: 1 },
  '100': { frames: 100, seconds: 1 },
  '119.88': { frames: 120_000, seconds: 1001 },
  '120': { frames: 120, seconds: 1 },
};

/** The names of {@link FRAME_RATES}, slowest first. */
export const FRAME_RATE_NAMES = Object.keys(FRAME_RATES).sort((a, b) => Number(a) - Number(b));

/** The frame rate that has a name; undefined for another text. */
export function frameRateNamed(name: string): FrameRate | undefined {
  return Object.hasOwn(FRAME_RATES, name) ? FRAME_RATES[name] : undefined;
}

/**
 * The frame rate of video editing that is nearest to the average of a film. A film of a phone has frames of different lengths:
 * an editing program puts it on a timeline with one of these rates.
 */
export function nearestFrameRate(average: number): FrameRate {
  const distance = ({ frames, seconds }: FrameRate): number =>
    Math.abs(Math.log((average * seconds) / frames));
  return Object.values(FRAME_RATES).reduce((nearest, one) =>
    distance(one) < distance(nearest) ? one : nearest,
  );
}

/** How many frames a second of time code has. */
function base({ frames, seconds }: FrameRate): number {
  return Math.round(frames / seconds);
}

/** How many numbers of frames are left out each minute, except each tenth. */
function dropped(rate: FrameRate): number {
  return base(rate) / 15;
}

/** Whether drop-frame time code exists for a rate: 29.97 and 59.94 frames per second. */
export function canDropFrames(rate: FrameRate): boolean {
  return rate.seconds === 1001 && (base(rate) === 30 || base(rate) === 60);
}

/** The name of a rate, as {@link frameRateNamed} takes it. */
export function frameRateName(rate: FrameRate): string {
  return String(Math.round((rate.frames / rate.seconds) * 1000) / 1000);
}

/**
 * The frame that is shown at a time, from 0. Times of comments are rounded to milliseconds, so a frame begins half a millisecond
 * early. All numbers are whole: the result is exact.
 */
export function frameAt(milliseconds: number, { frames, seconds }: FrameRate): number {
  return Math.floor(((2 * milliseconds + 1) * frames) / (2000 * seconds));
}

/** The time code of a frame, such as `01:00:00:00`, or `01:00:00;00` in drop-frame time code. It begins again after 24 hours. */
export function timeCode(frame: number, rate: FrameRate, isDropFrame: boolean): string {
  const perSecond = base(rate);
  const left = isDropFrame ? dropped(rate) : 0;
  const perMinute = 60 * perSecond - left;
  const perTenMinutes = 10 * perMinute + left;
  const tens = Math.floor(frame / perTenMinutes);
  const rest = frame % perTenMinutes;
  const minutes = rest < perMinute + left ? 0 : Math.floor((rest - left) / perMinute);
  const number = frame + left * (9 * tens + minutes);
  const second = Math.floor(number / perSecond);
  const parts = [Math.floor(second / 3600) % 24, Math.floor(second / 60) % 60, second % 60];
  return `${parts.map(padded).join(':')}${isDropFrame ? ';' : ':'}${padded(number % perSecond)}`;
}

function padded(number: number): string {
  return String(number).padStart(2, '0');
}

/**
 * Reads a time code. `;` or `.` before the frames is drop-frame time code.
 * @returns undefined for what is no time code of this rate
 */
export function parseTimeCode(text: string, rate: FrameRate): TimeCodeStart | undefined {
  const [, ...parts] = /^(\d\d):(\d\d):(\d\d)([:;.])(\d{2,3})$/.exec(text.trim()) ?? [];
  const [hours = 24, minutes = 0, seconds = 0, , frame = 0] = parts.map(Number);
  const isDropFrame = parts[3] === ';' || parts[3] === '.';
  const perSecond = base(rate);
  const left = isDropFrame ? dropped(rate) : 0;
  const isLeftOut = seconds === 0 && minutes % 10 !== 0 && frame < left;
  const isValid = hours < 24 && minutes < 60 && seconds < 60 && frame < perSecond && !isLeftOut;
  if (!isValid || (isDropFrame && !canDropFrames(rate))) {
    return undefined;
  }
  const minute = 60 * hours + minutes;
  return {
    frames: (60 * minute + seconds) * perSecond + frame - left * (minute - Math.floor(minute / 10)),
    isDropFrame,
  };
}
