import type {
  DocumentComment,
  DocumentComments,
  FilePlace,
} from '../../src/host/document-comments.js';

/** The comments in the document of the simulated app: a numbered mark over each spot. */
export class CommentMarks implements DocumentComments {
  readonly canGoTo = true;

  /**
   * @param paper  has the picture; its marks are placed by parts of its sides
   * @param key  of the document in front, the only one that takes comments
   */
  constructor(
    private readonly paper: HTMLElement,
    private readonly key: string,
  ) {}

  goTo(documentKey: string, { spot }: FilePlace): Promise<boolean> {
    const at = spot && this.marks().find(({ dataset }) => dataset['spot'] === nameOf(spot));
    if (documentKey !== this.key || !at) {
      return Promise.resolve(false);
    }
    for (const one of this.marks()) {
      one.classList.toggle('pointed', one === at);
    }
    return Promise.resolve(true);
  }

  show(
    documentKey: string,
    comments: readonly DocumentComment[],
  ): ReturnType<DocumentComments['show']> {
    const placed = documentKey === this.key ? comments.filter(({ place }) => place.spot) : [];
    this.clear();
    for (const [index, { place, title, text }] of placed.entries()) {
      const mark = document.createElement('span');
      mark.className = 'comment-mark';
      mark.textContent = String(index + 1);
      mark.title = `${title}\n${text}`;
      const { x, y } = place.spot ?? { x: 0, y: 0 };
      mark.dataset['spot'] = nameOf({ x, y });
      mark.style.left = `${100 * x}%`;
      mark.style.top = `${100 * y}%`;
      this.paper.append(mark);
    }
    return Promise.resolve({
      marks: new Map(placed.map(({ id }) => [id, id])),
      uncertain: [],
      unplaced: comments.filter((one) => !placed.includes(one)).map(({ id }) => id),
    });
  }

  remove(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }

  private clear(): void {
    for (const mark of this.marks()) {
      mark.remove();
    }
  }

  private marks(): HTMLElement[] {
    return [...this.paper.querySelectorAll<HTMLElement>('.comment-mark')];
  }
}

function nameOf({ x, y }: { readonly x: number; readonly y: number }): string {
  return `${x} ${y}`;
}
