import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { item, PanelRig } from './fixture.js';

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

describe('a button', () => {
  it('does nothing while its last click is being handled, and works again after it', async () => {
    let finish: () => void = () => undefined;
    rig.actions.addPhotos.mockImplementation(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    rig.connectedWith();
    await rig.drawn();
    for (let click = 0; click < 5; click += 1) await rig.click('Add photos');
    expect(rig.actions.addPhotos).toHaveBeenCalledTimes(1);
    finish();
    await rig.clock.settle();
    await rig.click('Add photos');
    expect(rig.actions.addPhotos).toHaveBeenCalledTimes(2);
  });

  it('does nothing at the second click of a double click', async () => {
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    const button = rig.page.querySelector<HTMLElement>('sp-button[variant=cta]');
    button?.click();
    button?.click();
    await rig.clock.settle();
    expect(rig.signInCalls.start).toHaveBeenCalledTimes(1);
  });

  it('hands on what its handler throws, at once or later, and works again after it', async () => {
    const atOnce = new Error('at once');
    const later = new Error('later');
    rig.uploads.pause.mockImplementationOnce(() => {
      throw atOnce;
    });
    rig.actions.addPhotos.mockRejectedValueOnce(later);
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.click('Pause');
    await rig.click('Add photos');
    expect(rig.faults).toEqual([atOnce, later]);
    await rig.click('Pause');
    await rig.click('Add photos');
    expect(rig.uploads.pause).toHaveBeenCalledTimes(2);
    expect(rig.actions.addPhotos).toHaveBeenCalledTimes(2);
  });

  it('of one photo does not stop that of another', async () => {
    rig.uploads.retry.mockImplementation(() => new Promise(() => undefined));
    rig.connectedWith(
      item('a.jpg', 'failed', { failure: 'CW-603' }),
      item('b.jpg', 'failed', { failure: 'CW-603' }),
    );
    await rig.drawn();
    await rig.click('Options', 0);
    await rig.click('Options', 0);
    await rig.click('Retry', 1);
    await rig.click('Retry', 1);
    await rig.click('Retry', 2);
    expect(rig.uploads.retry.mock.calls).toEqual([['id of a.jpg'], ['id of b.jpg']]);
  });
});

describe('the panel', () => {
  it('draws changes that come together once', async () => {
    rig.connectedWith();
    await rig.drawn();
    let drawings = 0;
    const { photos } = rig;
    rig.photos = (start, count) => {
      drawings += 1;
      return photos(start, count);
    };
    for (let change = 0; change < 1000; change += 1)
      rig.show(item('a.jpg', 'uploading', { sentBytes: change }));
    expect(drawings).toBe(0);
    await rig.drawn();
    expect(drawings).toBe(1);
    expect(rig.read()).toContain('Uploading, 99%');
  });

  it('survives a source that throws, says so, and draws again when it has recovered', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    const fault = new Error('broken');
    const { photos } = rig;
    rig.photos = () => {
      throw fault;
    };
    rig.show(item('b.jpg'));
    await rig.drawn();
    expect(rig.faults).toEqual([fault]);
    // What does not depend on it is still there and works.
    await rig.click('Add photos');
    expect(rig.actions.addPhotos).toHaveBeenCalledTimes(1);
    rig.photos = photos;
    rig.show(item('b.jpg'), item('c.jpg'));
    await rig.drawn();
    expect(rig.read().filter((text) => text.endsWith('.jpg'))).toEqual(['b.jpg', 'c.jpg']);
  });

  it('survives a state that cannot be read, and goes on counting the time', async () => {
    rig.showCode();
    await rig.drawn();
    const fault = new Error('broken');
    const broken = jest.spyOn(rig.signIn, 'get').mockImplementation(() => {
      throw fault;
    });
    await rig.clock.advance(5_000);
    expect(rig.faults.length).toBeGreaterThan(0);
    expect(rig.faults.every((one) => one === fault)).toBe(true);
    expect(rig.read()).toContain('WDJB-MJHT');
    broken.mockRestore();
    await rig.clock.advance(120_000);
    expect(rig.read()).toContain('The code expires in 13 minutes.');
  });

  it('moves to where it is shown next, with everything it shows', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    const other = document.createElement('div');
    document.body.appendChild(other);
    rig.panel.show(other);
    expect(rig.page.children).toHaveLength(0);
    expect(other.textContent).toContain('a.jpg');
    rig.panel.show(other);
    expect(other.children).toHaveLength(1);
  });

  it('renders nothing while nothing changes', async () => {
    rig.connectedWith(item('a.jpg', 'uploading'));
    await rig.drawn();
    let changes = 0;
    const observer = new MutationObserver((records) => {
      changes += records.length;
    });
    observer.observe(rig.page, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    rig.show(item('a.jpg', 'uploading'));
    await rig.clock.advance(10_000);
    observer.disconnect();
    expect(changes).toBe(0);
  });

  it('reads and renders nothing before it is shown, then everything at once', async () => {
    rig = new PanelRig({ isShown: false });
    let asked = 0;
    const { photos } = rig;
    rig.photos = (start, count) => {
      asked += 1;
      return photos(start, count);
    };
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    expect(asked).toBe(0);
    expect(rig.read()).toEqual([]);
    rig.panel.show(rig.page);
    expect(rig.read()).toContain('a.jpg');
  });
});
