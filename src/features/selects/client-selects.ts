import { isServiceId } from '../../api/project.js';
import { isJsonObject, numberField, textField } from '../../util/json.js';

/**
 * What clients answered about one file. The Lightroom plug-in has the same rules (`Selects.lua`).
 * @packageDocumentation
 */
export interface Select {
  /** The id of the photo at the service. */
  readonly photo: string;
  readonly name: string;
  /** The SHA-256 of the versions that guests saw, in lower-case hex. */
  readonly digests: ReadonlySet<string>;
  /** Of several guests, the most. */
  readonly stars: number | null;
  /** 1 to 5. The newest one. */
  readonly label: number | null;
  /** When it was given, as an ISO date. */
  readonly labelAt: string;
  readonly isFavourite: boolean;
  readonly isApproved: boolean;
  readonly needsChanges: boolean;
}

/** The colours of labels, by their number at the service less 1. */
export const LABEL_COLOURS = ['red', 'yellow', 'green', 'blue', 'purple'] as const;
export type LabelColour = (typeof LABEL_COLOURS)[number];

/** What is wanted in the metadata of a file; null leaves it. */
export interface Wanted {
  readonly rating: number | null;
  readonly label: LabelColour | null;
}

/** Stars of a favourite without stars. */
const FAVOURITE_STARS = 5;

/** Groups entries of `GET /feedback` by photo. Comments and withdrawn decisions select nothing. */
export function collectSelects(entries: readonly unknown[]): readonly Select[] {
  const selects = new Map<string, Select>();
  for (const entry of entries) {
    const photo = isJsonObject(entry) ? textField(entry, 'photo') : null;
    if (!isJsonObject(entry) || photo === null || !isServiceId(photo)) {
      continue;
    }
    const old = selects.get(photo) ?? {
      photo,
      name: textField(entry, 'name') ?? '',
      digests: new Set(),
      stars: null,
      label: null,
      labelAt: '',
      isFavourite: false,
      isApproved: false,
      needsChanges: false,
    };
    const counts = (entry['withdrawn'] ?? null) === null;
    const { kind } = entry;
    const digest = textField(entry, 'sha256');
    const stars = kind === 'stars' ? numberField(entry, 'stars') : null;
    const label = kind === 'label' ? numberField(entry, 'label') : null;
    const at = textField(entry, 'at') ?? '';
    const isNewer = label !== null && LABEL_COLOURS[label - 1] !== undefined && at >= old.labelAt;
    selects.set(photo, {
      ...old,
      digests: digest === null ? old.digests : new Set([...old.digests, digest]),
      stars:
        stars === null
          ? old.stars
          : Math.max(old.stars ?? 0, Math.min(5, Math.max(1, Math.floor(stars)))),
      ...(isNewer && { label, labelAt: at }),
      isFavourite: old.isFavourite || kind === 'favourite',
      isApproved: old.isApproved || (kind === 'approval' && counts),
      needsChanges: old.needsChanges || (kind === 'changes' && counts),
    });
  }
  return [...selects.values()].filter(
    ({ stars, label, isFavourite, isApproved, needsChanges }) =>
      stars !== null || label !== null || isFavourite || isApproved || needsChanges,
  );
}

/** What several photos of one file lead to. A request for changes is red and an approval green, without a label. */
export function wantedOf(selects: readonly Select[]): Wanted {
  const stars = Math.max(0, ...selects.map((select) => select.stars ?? 0));
  const [newest] = selects
    .filter(({ label }) => label !== null)
    .sort((one, other) => (one.labelAt < other.labelAt ? 1 : -1));
  const given = newest?.label === null ? undefined : LABEL_COLOURS[(newest?.label ?? 0) - 1];
  return {
    rating:
      stars > 0 ? stars : selects.some(({ isFavourite }) => isFavourite) ? FAVOURITE_STARS : null,
    label:
      given ??
      (selects.some(({ needsChanges }) => needsChanges)
        ? 'red'
        : selects.some(({ isApproved }) => isApproved)
          ? 'green'
          : null),
  };
}
