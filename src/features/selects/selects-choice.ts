import type { Owner } from '../../account/owner.js';
import { isServiceId } from '../../api/project.js';
import type { RecordStore } from '../../host/storage.js';
import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import type { ReadableObservable } from '../../util/observable.js';
import type { SelectsLink } from './selects-state.js';

/** What the user chose: whose answers go where, and how. */
export interface Choice {
  readonly link: SelectsLink | null;
  readonly folder: { readonly token: string; readonly name: string } | null;
  readonly isReplacing: boolean;
  readonly isIntoFiles: boolean;
}

interface OwnedChoice extends Choice {
  /** The account that chose the link. Folder and settings belong to the computer. */
  readonly owner: string;
}

const KEY = 'selects';

/** The choice, kept over restarts. */
export class SelectsChoice {
  private choice: OwnedChoice = {
    owner: '',
    link: null,
    folder: null,
    isReplacing: false,
    isIntoFiles: false,
  };

  constructor(
    private readonly records: Pick<RecordStore, 'put'>,
    private readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>,
  ) {}

  /** Takes over what an earlier run of the plugin stored, unless something was chosen since. */
  restore(records: ReadonlyMap<string, string>): void {
    const body = parseJsonObject(records.get(KEY) ?? '');
    if (body && this.choice.owner === '') {
      this.choice = readChoice(body);
    }
  }

  /** What holds for the present account: without a link that another one chose. */
  get(): Choice {
    const keys: readonly string[] = this.owner.get()?.keys ?? [];
    return keys.includes(this.choice.owner) ? this.choice : { ...this.choice, link: null };
  }

  /** Changes at once, and ends when it is stored. @throws {CwError} CW-702 to CW-704 */
  async change(changed: Partial<Choice>): Promise<void> {
    const owner = this.owner.get()?.keys[0] ?? '';
    this.choice = { ...this.get(), ...changed, owner };
    await this.records.put(KEY, JSON.stringify(this.choice));
  }
}

function readChoice(body: JsonObject): OwnedChoice {
  const link = isJsonObject(body['link']) ? body['link'] : {};
  const folder = isJsonObject(body['folder']) ? body['folder'] : {};
  const id = textField(link, 'id');
  const token = textField(folder, 'token');
  return {
    owner: textField(body, 'owner') ?? '',
    link:
      id === null || !isServiceId(id)
        ? null
        : { id, name: textField(link, 'name') ?? '', expires: numberField(link, 'expires') },
    folder: token === null ? null : { token, name: textField(folder, 'name') ?? '' },
    isReplacing: body['isReplacing'] === true,
    isIntoFiles: body['isIntoFiles'] === true,
  };
}
