import { comparable } from '../../util/comparable.js';
import { nameStem } from '../../util/name-stem.js';

/** The files of one photo in the chosen folder: a raw file, its JPEG and their sidecars differ in their endings only. */
export interface LocalPhoto {
  /** Folder and name without an ending; compared, not shown. */
  readonly key: string;
  /** Paths of its files, without sidecars. */
  readonly files: readonly string[];
}

/** A file to write marks into. */
export interface Target {
  readonly path: string;
  readonly kind: 'sidecar' | 'embedded';
  /** Whether the file is there. */
  readonly exists: boolean;
  /** Whether it is `name.ext.xmp`. */
  readonly isFull: boolean;
}

/** Raw files, whose metadata are in sidecars. */
const RAW =
  /\.(3fr|arw|cr2|cr3|crw|dcr|erf|fff|gpr|iiq|k25|kdc|mef|mos|mrw|nef|nrw|orf|pef|raf|raw|rw2|rwl|sr2|srf|srw|x3f)$/i;
/** Files that carry XMP, which can be rewritten. DNG files are raw files, too. */
const EMBEDDED = /\.(dng|jpe?g|png|psb|psd|tiff?)$/i;
export const SIDECAR = /\.xmp$/i;

/** The files of a folder, by their photos and names. */
export class LocalPhotos {
  readonly photos: readonly LocalPhoto[];
  private readonly byName = new Map<string, Set<LocalPhoto>>();
  private readonly byStem = new Map<string, Set<LocalPhoto>>();
  private readonly byPath = new Map<string, string>();

  /** @param paths  relative to the chosen folder */
  constructor(paths: readonly string[]) {
    const photos = new Map<string, { readonly key: string; readonly files: string[] }>();
    for (const path of paths) {
      this.byPath.set(comparable(path), path);
      if (SIDECAR.test(path)) {
        continue;
      }
      const [folder, name] = split(path);
      const key = comparable(folder) + nameStem(name);
      const photo = photos.get(key) ?? { key, files: [] };
      photos.set(key, photo);
      photo.files.push(path);
      add(this.byName, comparable(name), photo);
      add(this.byStem, nameStem(name), photo);
    }
    this.photos = [...photos.values()];
  }

  /** The photos with this name; else those with this name without its ending. */
  named(name: string): readonly LocalPhoto[] {
    const exact = [...(this.byName.get(comparable(name)) ?? [])];
    const stem = [...(this.byStem.get(nameStem(name)) ?? [])];
    return exact.length === 1 || (exact.length > 1 && stem.length !== 1) ? exact : stem;
  }

  /**
   * Where the marks of a photo go: a sidecar, or the file itself if wanted. `name.ext.xmp` is used where it is there, as
   * darktable and digiKam write it; else `name.xmp`, as Adobe's apps do.
   * @param named  the name at the service, or the path by which it was recognized: it chooses among files of one photo
   * @returns null when several files may be meant
   */
  targetOf({ files }: LocalPhoto, named: string, intoFiles: boolean): Target | null {
    const exact = files.find(
      (path) => path === named || comparable(split(path)[1]) === comparable(named),
    );
    const raw = files.find((path) => RAW.test(path)) ?? files.find((path) => /\.dng$/i.test(path));
    const first = intoFiles ? (exact ?? raw) : (raw ?? exact);
    const file = first ?? (files.length === 1 ? files[0] : undefined);
    if (file === undefined) {
      return null;
    }
    if (intoFiles && EMBEDDED.test(file)) {
      return { path: file, kind: 'embedded', exists: true, isFull: false };
    }
    const full = this.byPath.get(comparable(`${file}.xmp`));
    const short = `${withoutEnding(file)}.xmp`;
    const present = full ?? this.byPath.get(comparable(short));
    return {
      path: present ?? short,
      kind: 'sidecar',
      exists: present !== undefined,
      isFull: full !== undefined,
    };
  }

  /** Where the identity of a photo's document may be: sidecars first, then files that carry XMP. */
  identitySources({ files }: LocalPhoto): readonly Pick<Target, 'path' | 'kind'>[] {
    const sidecars = files.flatMap((path) => [`${path}.xmp`, `${withoutEnding(path)}.xmp`]);
    const found = sidecars.flatMap((path) => this.byPath.get(comparable(path)) ?? []);
    return [
      ...[...new Set(found)].map((path) => ({ path, kind: 'sidecar' as const })),
      ...files
        .filter((path) => EMBEDDED.test(path))
        .map((path) => ({ path, kind: 'embedded' as const })),
    ];
  }
}

/** The folder with a `/` at its end, empty for the chosen one, and the name. */
function split(path: string): readonly [string, string] {
  const slash = path.lastIndexOf('/') + 1;
  return [path.slice(0, slash), path.slice(slash)];
}

function withoutEnding(path: string): string {
  const [folder, name] = split(path);
  const dot = name.lastIndexOf('.');
  return folder + (dot > 0 ? name.slice(0, dot) : name);
}

function add<T>(lists: Map<string, Set<T>>, key: string, value: T): void {
  const list = lists.get(key) ?? new Set<T>();
  list.add(value);
  lists.set(key, list);
}
