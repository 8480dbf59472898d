/** How much larger than the window the pictures become, at most. */
const MOST = 8;

/** What a press of a button or a key changes: the factor of the size, and the way in pixels. */
const FACTOR = 1.5;
const WAY = 80;

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Directions of the arrow keys, by which the pictures move. */
const ARROWS: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: WAY, y: 0 },
  ArrowRight: { x: -WAY, y: 0 },
  ArrowUp: { x: 0, y: WAY },
  ArrowDown: { x: 0, y: -WAY },
};

/**
 * Zooms and moves both pictures of a comparison together: by wheel, fingers, double click, buttons and the keys + − 0. The
 * arrow keys belong to the divider; with Shift, they move the pictures.
 */
export class CompareZoom {
  private scale = 1;
  /** How far the middle of the pictures is from the middle of their place, in pixels. */
  private offset: Place = { x: 0, y: 0 };
  /** The pressed pointers, except one on the divider. */
  private readonly pointers = new Map<number, Place>();

  constructor(
    private readonly comparison: HTMLElement,
    private readonly view: HTMLElement,
  ) {}

  start(): void {
    const { comparison } = this;
    comparison.addEventListener('wheel', (event) => this.turnWheel(event), { passive: false });
    comparison.addEventListener('dblclick', (event) => {
      if (!isButton(event.target)) {
        this.zoomTo(this.scale > 1 ? 1 : this.actualSize(), placeOf(event));
      }
    });
    comparison.addEventListener('click', ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null;
      this.act(button?.dataset['zoom']);
    });
    comparison.addEventListener('pointerdown', (event) => {
      this.press(event);
    });
    comparison.addEventListener('pointermove', (event) => {
      this.drag(event);
    });
    for (const name of ['pointerup', 'pointercancel'] as const) {
      comparison.addEventListener(name, ({ pointerId }) => {
        this.pointers.delete(pointerId);
      });
    }
    // The browser would drag a copy of the picture.
    comparison.addEventListener('dragstart', (event) => {
      event.preventDefault();
    });
    document.addEventListener('keydown', (event) => {
      this.pressKey(event);
    });
    addEventListener('resize', () => {
      this.draw();
    });
    this.draw();
  }

  private act(action: string | undefined): void {
    if (action === 'whole') {
      this.zoomTo(1);
    } else if (action === 'in' || action === 'out') {
      this.zoomTo(this.scale * (action === 'in' ? FACTOR : 1 / FACTOR));
    }
  }

  private pressKey(event: KeyboardEvent): void {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
    if (altKey || ctrlKey || metaKey) {
      return;
    }
    const action = { '+': 'in', '=': 'in', '-': 'out', '0': 'whole' }[key];
    const way = shiftKey && this.scale > 1 ? ARROWS[key] : undefined;
    if (action !== undefined || way !== undefined) {
      event.preventDefault();
      this.act(action);
      this.move(way ?? { x: 0, y: 0 });
    }
  }

  private turnWheel(event: WheelEvent): void {
    const isLine = event.deltaMode === WheelEvent.DOM_DELTA_LINE;
    // Browsers report two fingers on a trackpad as a wheel with Ctrl, in small steps.
    const speed = (isLine ? 0.05 : 0.002) * (event.ctrlKey ? 5 : 1);
    const before = this.scale;
    this.zoomTo(before * 2 ** (-event.deltaY * speed), placeOf(event));
    // A picture that cannot become smaller lets the page scroll.
    if (this.scale !== before || event.ctrlKey) {
      event.preventDefault();
    }
  }

  private press(event: PointerEvent): void {
    const { target, pointerId, pointerType } = event;
    const isMouse = pointerType === 'mouse';
    const isDivider = target instanceof HTMLInputElement;
    // A second finger begins to zoom, wherever the first one is.
    if (isButton(target) || (isDivider && (isMouse || this.scale > 1))) {
      return;
    }
    this.pointers.set(pointerId, placeOf(event));
    if (!isDivider) {
      this.comparison.setPointerCapture(pointerId);
    }
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      return;
    }
    const now = placeOf(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    if (other !== undefined) {
      const factor = distance(now, other) / Math.max(1, distance(before, other));
      this.zoomTo(this.scale * factor, middle(now, other));
      this.move({ x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 });
    } else if (this.scale > 1) {
      this.move({ x: now.x - before.x, y: now.y - before.y });
    }
  }

  /** The size at which a pixel of the larger picture is one of the window. */
  private actualSize(): number {
    const sizes = [...this.comparison.querySelectorAll('img')].map((image) =>
      Math.max(
        image.naturalWidth / this.view.clientWidth,
        image.naturalHeight / this.view.clientHeight,
      ),
    );
    return Math.max(2, ...sizes);
  }

  /** @param fixed the place of the window that keeps its part of the picture; the middle by default */
  private zoomTo(scale: number, fixed?: Place): void {
    const next = Math.min(MOST, Math.max(1, scale));
    const { left, top, width, height } = this.view.getBoundingClientRect();
    const x = fixed === undefined ? 0 : fixed.x - left - width / 2;
    const y = fixed === undefined ? 0 : fixed.y - top - height / 2;
    const factor = next / this.scale;
    this.scale = next;
    this.offset = { x: x - (x - this.offset.x) * factor, y: y - (y - this.offset.y) * factor };
    this.draw();
  }

  private move({ x, y }: Place): void {
    this.offset = { x: this.offset.x + x, y: this.offset.y + y };
    this.draw();
  }

  /** Sets the place of the pictures. Beside them there is never more room than before. */
  private draw(): void {
    const { comparison, view, scale, offset } = this;
    const { clientWidth, clientHeight } = view;
    const shown = [...comparison.querySelectorAll('img')].map(({ naturalWidth, naturalHeight }) => {
      const fit = Math.min(clientWidth / naturalWidth, clientHeight / naturalHeight);
      return { width: naturalWidth * fit, height: naturalHeight * fit };
    });
    const width = Math.max(0, ...shown.map((one) => one.width || clientWidth));
    const height = Math.max(0, ...shown.map((one) => one.height || clientHeight));
    this.offset = {
      x: within(offset.x, Math.max(0, width * scale - clientWidth) / 2),
      y: within(offset.y, Math.max(0, height * scale - clientHeight) / 2),
    };
    comparison.classList.toggle('zoomed', scale > 1);
    comparison.style.setProperty('--zoom', String(scale));
    comparison.style.setProperty('--x', `${this.offset.x}px`);
    comparison.style.setProperty('--y', `${this.offset.y}px`);
  }
}

function placeOf({ clientX, clientY }: MouseEvent): Place {
  return { x: clientX, y: clientY };
}

function isButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button') !== null;
}

function distance(one: Place, other: Place): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

function middle(one: Place, other: Place): Place {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function within(value: number, limit: number): number {
  return Math.min(limit, Math.max(-limit, value));
}
