import type { ExportOffer } from '../../host/document-export.js';
import type { RecordStore } from '../../host/storage.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { builtInPresets, readPreset, writePreset, type Preset } from './preset.js';

export interface PresetsState {
  /** The built-in ones, then the user's own from the first on. */
  readonly list: readonly Preset[];
  /** The one for the next upload; null in an app without an export. */
  readonly chosen: Preset | null;
  /** Ids of the built-in ones, and of those among them that the user has changed. */
  readonly builtIn: readonly string[];
  readonly changed: readonly string[];
}

export interface PresetsOptions {
  readonly records: Pick<RecordStore, 'put' | 'remove'>;
  /** What the app exports. Presets of other formats are not listed. */
  readonly offers: readonly ExportOffer[];
  readonly newId: () => string;
}

/** Each preset has a separate record, so a damaged one does not affect the others. */
const PREFIX = 'preset-';
/** The key of the record with the chosen one's id. */
const CHOSEN_KEY = 'chosen-preset';
/** Before the first choice: the whole picture, in the format that every app opens. */
const FIRST_CHOICE = 'print';

interface Stored {
  readonly preset: Preset;
  readonly position: number;
}

/** The ways in which a user exports documents on this computer. Built-in presets can be changed, but not removed. */
export class Presets {
  private readonly builtIn: readonly Preset[];
  /** The user's own, and the built-in ones that the user has changed, by their ids. */
  private readonly stored = new Map<string, Stored>();
  private chosenId: string | null = null;
  private readonly store: Observable<PresetsState>;

  readonly state: ReadableObservable<PresetsState>;

  constructor(private readonly options: PresetsOptions) {
    this.builtIn = builtInPresets(options.offers);
    this.store = new Observable(this.read());
    this.state = this.store;
  }

  get list(): readonly Preset[] {
    return this.store.get().list;
  }

  get chosen(): Preset | null {
    return this.store.get().chosen;
  }

  /** Null for one that was removed, or whose format this app does not export. */
  find(id: string): Preset | null {
    return this.list.find((preset) => preset.id === id) ?? null;
  }

  /** Takes over what an earlier run left, from the list's other records. What this run has done has priority. */
  restore(records: ReadonlyMap<string, string>): void {
    for (const [key, text] of records) {
      const found = key.startsWith(PREFIX) ? readPreset(text) : null;
      const isOwn = found !== null && key === PREFIX + found.preset.id;
      const isNamed =
        found !== null && (found.preset.name !== null || this.isBuiltIn(found.preset.id));
      if (found && isOwn && isNamed && !this.stored.has(found.preset.id)) {
        this.stored.set(found.preset.id, found);
      }
    }
    this.chosenId ??= records.get(CHOSEN_KEY) ?? null;
    this.update();
  }

  /** Chooses the preset for the next upload. @throws {CwError} CW-702 to CW-704; it then counts for this run */
  async choose(id: string): Promise<void> {
    this.chosenId = id;
    this.update();
    await this.options.records.put(CHOSEN_KEY, id);
  }

  /** Stores a changed preset. @throws {CwError} CW-702 to CW-704; then nothing has changed */
  async save(preset: Preset): Promise<void> {
    const position = this.stored.get(preset.id)?.position ?? this.nextPosition();
    await this.options.records.put(PREFIX + preset.id, writePreset(preset, position));
    this.stored.set(preset.id, { preset, position });
    this.update();
  }

  /** Stores a copy under another name. @throws {CwError} CW-702 to CW-704; then there is none */
  async duplicate(preset: Preset, name: string): Promise<Preset> {
    const copy = { ...preset, id: this.options.newId(), name };
    await this.save(copy);
    return copy;
  }

  /**
   * Removes one of the user's own presets, or what the user has changed in a built-in one.
   * @throws {CwError} CW-702 to CW-704; then it may come back with the next start
   */
  async remove(id: string): Promise<void> {
    await this.options.records.remove(PREFIX + id);
    this.stored.delete(id);
    this.update();
  }

  private isBuiltIn(id: string): boolean {
    return this.builtIn.some((preset) => preset.id === id);
  }

  private nextPosition(): number {
    return Math.max(0, ...[...this.stored.values()].map(({ position }) => position)) + 1;
  }

  private update(): void {
    this.store.set(this.read());
  }

  private read(): PresetsState {
    const isOffered = ({ settings }: Preset): boolean =>
      this.options.offers.some(({ format }) => format === settings.format);
    const own = [...this.stored.values()]
      .filter(({ preset }) => !this.isBuiltIn(preset.id))
      .sort((a, b) => a.position - b.position)
      .map(({ preset }) => preset);
    const builtIn = this.builtIn.map((preset) => this.stored.get(preset.id)?.preset ?? preset);
    const list = [...builtIn, ...own].filter(isOffered);
    const chosen =
      list.find(({ id }) => id === this.chosenId) ??
      list.find(({ id }) => id === FIRST_CHOICE) ??
      list[0] ??
      null;
    const ids = this.builtIn.map(({ id }) => id);
    return { list, chosen, builtIn: ids, changed: ids.filter((id) => this.stored.has(id)) };
  }
}
