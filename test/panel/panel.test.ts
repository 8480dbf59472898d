import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { item, PanelFixture } from './fixture.js';

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

describe('a button', () => {
  it('does nothing while its last click is being handled, and works again after it', async () => {
    let finish: () => void = () => undefined;
    fixture.actions.addPhotos.mockImplementation(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    fixture.connectedWith();
    await fixture.drawn();
    for (let click = 0; click < 5; click += 1) await fixture.click('Add photos');
    expect(fixture.actions.addPhotos).toHaveBeenCalledTimes(1);
    finish();
    await fixture.clock.settle();
    await fixture.click('Add photos');
    expect(fixture.actions.addPhotos).toHaveBeenCalledTimes(2);
  });

  it('does nothing at the second click of a double click', async () => {
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    const button = fixture.page.querySelector<HTMLElement>('sp-button[variant=cta]');
    button?.click();
    button?.click();
    await fixture.clock.settle();
    expect(fixture.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it('hands on what its handler throws, at once or later, and works again after it', async () => {
    const atOnce = new Error('at once');
    const later = new Error('later');
    fixture.uploads.pause.mockImplementationOnce(() => {
      throw atOnce;
    });
    fixture.actions.addPhotos.mockRejectedValueOnce(later);
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    await fixture.click('Pause');
    await fixture.click('Add photos');
    expect(fixture.faults).toEqual([atOnce, later]);
    await fixture.click('Pause');
    await fixture.click('Add photos');
    expect(fixture.uploads.pause).toHaveBeenCalledTimes(2);
    expect(fixture.actions.addPhotos).toHaveBeenCalledTimes(2);
  });

  it('of one photo does not stop that of another', async () => {
    fixture.uploads.retry.mockImplementation(() => new Promise(() => undefined));
    fixture.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'failed', { failure: 'CW-603' }),
    );
    await fixture.drawn();
    await fixture.choose('Options', 'Retry', 0);
    await fixture.choose('Options', 'Retry', 1);
    expect(fixture.uploads.retry.mock.calls).toEqual([['id of a.jpg'], ['id of b.jpg']]);
  });
});

describe('the panel', () => {
  it('draws changes that come together once', async () => {
    fixture.connectedWith();
    await fixture.drawn();
    let drawings = 0;
    const { photos } = fixture;
    fixture.photos = () => {
      drawings += 1;
      return photos();
    };
    for (let change = 0; change < 1000; change += 1)
      fixture.show(item('a.jpg', 'uploading', { sentBytes: change }));
    expect(drawings).toBe(0);
    await fixture.drawn();
    expect(drawings).toBe(1);
    expect(fixture.read()).toContain('99%');
  });

  it('survives a source that throws, reports it, and draws again when it has recovered', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    const fault = new Error('broken');
    const { photos } = fixture;
    fixture.photos = () => {
      throw fault;
    };
    fixture.show(item('b.jpg'));
    await fixture.drawn();
    expect(fixture.faults).toEqual([fault]);
    // What does not depend on it is still there and works.
    await fixture.click('Add photos');
    expect(fixture.actions.addPhotos).toHaveBeenCalledTimes(1);
    fixture.photos = photos;
    fixture.show(item('b.jpg'), item('c.jpg'));
    await fixture.drawn();
    expect(fixture.read().filter((text) => text.endsWith('.jpg'))).toEqual(['b.jpg', 'c.jpg']);
  });

  it('survives a state that cannot be read, and goes on counting the time', async () => {
    fixture.showCode();
    await fixture.drawn();
    const fault = new Error('broken');
    const broken = jest.spyOn(fixture.signIn, 'get').mockImplementation(() => {
      throw fault;
    });
    await fixture.clock.advance(5_000);
    expect(fixture.faults.length).toBeGreaterThan(0);
    expect(fixture.faults.every((one) => one === fault)).toBe(true);
    expect(fixture.read()).toContain('WDJB-MJHT');
    broken.mockRestore();
    await fixture.clock.advance(120_000);
    expect(fixture.read()).toContain('The code expires in 13 minutes.');
  });

  it('moves to where it is shown next, with everything it shows', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    const other = document.createElement('div');
    document.body.appendChild(other);
    fixture.panel.show(other);
    expect(fixture.page.children).toHaveLength(0);
    expect(other.textContent).toContain('a.jpg');
    fixture.panel.show(other);
    expect(other.children).toHaveLength(1);
  });

  it('renders nothing while nothing changes', async () => {
    fixture.connectedWith(item('a.jpg', 'uploading'));
    await fixture.drawn();
    let changes = 0;
    const observer = new MutationObserver((records) => {
      changes += records.length;
    });
    observer.observe(fixture.page, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    fixture.show(item('a.jpg', 'uploading'));
    await fixture.clock.advance(10_000);
    observer.disconnect();
    expect(changes).toBe(0);
  });

  it('reads and renders nothing before it is shown, then everything at once', async () => {
    fixture = new PanelFixture({ isShown: false });
    let asked = 0;
    const { photos } = fixture;
    fixture.photos = () => {
      asked += 1;
      return photos();
    };
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    expect(asked).toBe(0);
    expect(fixture.read()).toEqual([]);
    fixture.panel.show(fixture.page);
    expect(fixture.read()).toContain('a.jpg');
  });
});
