import type { DownloadedFile } from '../../src/host/downloads.js';
import type {
  PlacedFile,
  PlacedFiles,
  PlacedFileUpdates,
  PlacedIdentity,
} from '../../src/host/placed-files.js';
import type { PictureFolder } from './picture-folder.js';

/** A picture that the document links to. */
interface Link {
  readonly key: string;
  readonly name: string;
  readonly identity: PlacedIdentity | null;
  /** When its file was changed last, as of the time it was placed. Milliseconds. */
  readonly modified: number;
}

/** The files that are placed in the document of the simulated app: a row of pictures below it. */
export class PlacedPictures implements PlacedFiles, PlacedFileUpdates {
  readonly canUndo = true;
  private links: readonly Link[] = [];
  private count = 0;

  /**
   * @param row  has the pictures
   * @param documentKey  of the document in front, the only one that has some
   */
  constructor(
    private readonly row: HTMLElement,
    private readonly documentKey: string,
    private readonly folder: PictureFolder,
  ) {}

  list(documentKey: string): Promise<readonly PlacedFile[]> {
    return Promise.resolve(
      (documentKey === this.documentKey ? this.links : []).map((link): PlacedFile => {
        const { key, name, identity } = link;
        return { key, name, path: this.folder.pathOf(name), identity, state: this.stateOf(link) };
      }),
    );
  }

  place(_documentKey: string, { name }: DownloadedFile, identity: PlacedIdentity): Promise<void> {
    this.add(name, identity);
    return Promise.resolve();
  }

  relink(
    _documentKey: string,
    changes: Parameters<PlacedFileUpdates['relink']>[1],
  ): ReturnType<PlacedFileUpdates['relink']> {
    this.links = this.links.map((link) => {
      const change = changes.find(({ key }) => key === link.key);
      return change ? this.linkTo(link.key, change.file.name, change.identity) : link;
    });
    this.draw();
    return Promise.resolve(changes.map(({ key }) => ({ key, error: null })));
  }

  /**
   * Adds a link in each of the states that no service is needed for.
   * @param origin  of the service
   * @param picture  of the document
   */
  addExamples(origin: string, picture: Blob): void {
    const identity = (from: string): PlacedIdentity => ({
      origin: from,
      uploadId: 'f'.repeat(32),
      sha256: 'f'.repeat(64),
      size: 'original',
    });
    for (const name of ['Lighthouse.jpg', 'Harbour.jpg', 'Pier.jpg', 'Boats.jpg']) {
      this.folder.write(name, picture);
    }
    this.add('Lighthouse.jpg', identity('https://another.example'));
    this.add('Harbour.jpg', identity(origin));
    this.add('Island.jpg', identity(origin));
    this.add('Pier.jpg', identity(origin), -1);
    this.add('Boats.jpg', null);
    this.add('Old map.tif', null);
  }

  private add(name: string, identity: PlacedIdentity | null, modified?: number): void {
    this.count += 1;
    const link = this.linkTo(String(this.count), name, identity);
    this.links = [...this.links, { ...link, modified: modified ?? link.modified }];
    this.draw();
  }

  private linkTo(key: string, name: string, identity: PlacedIdentity | null): Link {
    return { key, name, identity, modified: this.folder.read(name)?.lastModified ?? 0 };
  }

  private stateOf({ name, modified }: Link): PlacedFile['state'] {
    const file = this.folder.read(name);
    if (!file) {
      return 'missing';
    }
    return file.lastModified === modified ? 'present' : 'changed';
  }

  private draw(): void {
    this.row.replaceChildren(
      ...this.links.map((link) => {
        const picture = document.createElement('figure');
        const { name } = link;
        picture.title = `${name}: ${this.stateOf(link)}`;
        const file = this.folder.read(name);
        if (file) {
          const image = document.createElement('img');
          image.alt = '';
          image.src = URL.createObjectURL(file);
          picture.append(image);
        }
        const caption = document.createElement('figcaption');
        caption.textContent = name;
        picture.append(caption);
        return picture;
      }),
    );
  }
}
