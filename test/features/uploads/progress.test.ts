import { describe, expect, it } from '@jest/globals';
import type { UploadSummary } from '../../../src/features/queue/upload-item.js';
import { ProgressMeter } from '../../../src/features/uploads/progress.js';

const NOTHING: UploadSummary = {
  waiting: 0,
  uploading: 0,
  uploaded: 0,
  failed: 0,
  totalBytes: 0,
  sentBytes: 0,
};

describe('the progress', () => {
  it('counts photos sent together, and restarts with the next ones', () => {
    const meter = new ProgressMeter();
    meter.observe({ ...NOTHING, waiting: 2, totalBytes: 20 }, false);
    meter.observe({ ...NOTHING, uploading: 1, uploaded: 1, totalBytes: 20, sentBytes: 14 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 1, total: 2, sentBytes: 14, totalBytes: 20 });
    meter.observe({ ...NOTHING, uploaded: 2, totalBytes: 20, sentBytes: 20 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 2, total: 2 });
    meter.observe({ ...NOTHING, uploaded: 2, waiting: 1, totalBytes: 25, sentBytes: 20 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 0, total: 1, sentBytes: 0, totalBytes: 5 });
  });

  it('stops counting cleared photos, whenever they are cleared', () => {
    const meter = new ProgressMeter();
    meter.observe({ ...NOTHING, uploaded: 4, totalBytes: 40, sentBytes: 40 }, false);
    meter.observe({ ...NOTHING, uploaded: 4, waiting: 3, totalBytes: 70, sentBytes: 40 }, false);
    meter.observe({ ...NOTHING, uploaded: 5, waiting: 2, totalBytes: 70, sentBytes: 50 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 1, total: 3, sentBytes: 10, totalBytes: 30 });
    meter.observe({ ...NOTHING, waiting: 2, totalBytes: 20 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 0, total: 2, sentBytes: 0, totalBytes: 20 });
    meter.observe({ ...NOTHING, uploaded: 2, totalBytes: 20, sentBytes: 20 }, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 2, total: 2 });
    meter.observe(NOTHING, false);
    expect(meter.read(0)).toMatchObject({ uploaded: 0, total: 0 });
  });

  it('counts the photos before, when nothing is left of the next ones', () => {
    const before = { ...NOTHING, uploaded: 2, totalBytes: 20, sentBytes: 20 };
    const outcomes = [{ uploading: 1 }, { failed: 1 }].map((state) => {
      const meter = new ProgressMeter();
      meter.observe(before, false);
      meter.observe({ ...before, waiting: 1, totalBytes: 25 }, false);
      meter.observe({ ...before, ...state, totalBytes: 25 }, false);
      expect(meter.read(0)).toMatchObject({ uploaded: 0, total: 1 });
      // Skipped as a duplicate, or removed.
      meter.observe(before, false);
      return meter.read(0);
    });
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ uploaded: 2, total: 2, sentBytes: 20, totalBytes: 20 });
    }
  });

  it('does not restart while more photos are being added', () => {
    const meter = new ProgressMeter();
    meter.observe({ ...NOTHING, waiting: 1, totalBytes: 5 }, true);
    meter.observe({ ...NOTHING, uploaded: 1, totalBytes: 5, sentBytes: 5 }, true);
    meter.observe({ ...NOTHING, uploaded: 1, waiting: 1, totalBytes: 10, sentBytes: 5 }, true);
    expect(meter.read(0)).toMatchObject({ uploaded: 1, total: 2 });
  });

  it('does not count the photos before, when one is skipped while more are being added', () => {
    const meter = new ProgressMeter();
    const before = { ...NOTHING, uploaded: 2, totalBytes: 20, sentBytes: 20 };
    meter.observe(before, false);
    meter.observe({ ...before, waiting: 1, totalBytes: 25 }, true);
    meter.observe(before, true);
    meter.observe({ ...before, waiting: 1, totalBytes: 26 }, true);
    expect(meter.read(0)).toMatchObject({ uploaded: 0, total: 1, totalBytes: 6 });
  });

  it('reports that some is sent again while less counts as sent than before', () => {
    const meter = new ProgressMeter();
    const send = (sentBytes: number, totalBytes = 100): boolean => {
      meter.observe({ ...NOTHING, uploading: 2, totalBytes, sentBytes }, false);
      return meter.read(0).sendingAgain;
    };
    expect([send(0), send(40), send(30), send(39), send(40), send(50)]).toEqual([
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
    // A photo that was taken off the list is not sent again.
    expect(send(20, 60)).toBe(false);
    meter.observe({ ...NOTHING, uploaded: 2, totalBytes: 60, sentBytes: 60 }, false);
    meter.observe({ ...NOTHING, uploaded: 2, waiting: 1, totalBytes: 70, sentBytes: 60 }, false);
    expect(meter.read(0).sendingAgain).toBe(false);
  });

  it('counts from nothing when another account may be connected', () => {
    const meter = new ProgressMeter();
    meter.observe({ ...NOTHING, waiting: 2, totalBytes: 20 }, false);
    meter.observe({ ...NOTHING, uploaded: 2, totalBytes: 20, sentBytes: 20 }, false);
    meter.observe({ ...NOTHING, uploaded: 2, waiting: 1, totalBytes: 25, sentBytes: 20 }, false);
    meter.observe({ ...NOTHING, waiting: 1, totalBytes: 5 }, false);
    expect(meter.read(0)).toMatchObject({
      uploaded: 0,
      total: 1,
      sentBytes: 0,
      totalBytes: 5,
      sendingAgain: false,
    });
  });

  it('measures the speed over some seconds, and not what is sent a second time', () => {
    const meter = new ProgressMeter();
    const send = (sentBytes: number, now: number): number | null => {
      meter.observe({ ...NOTHING, uploading: 1, totalBytes: 1e6, sentBytes }, false);
      return meter.read(now).bytesPerSecond;
    };
    expect(send(0, 0)).toBeNull();
    expect(send(1000, 1000)).toBeNull();
    expect(send(2000, 2000)).toBe(1000);
    expect(send(500, 3000)).toBeCloseTo(666.7, 0);
    expect(send(1500, 4000)).toBe(750);
  });

  it('forgets the speed when the clock was set or the computer slept, and when nothing is sent', () => {
    const meter = new ProgressMeter();
    const send = (sentBytes: number, now: number): number | null => {
      meter.observe({ ...NOTHING, uploading: 1, totalBytes: 1e6, sentBytes }, false);
      return meter.read(now).bytesPerSecond;
    };
    send(0, 100_000);
    expect(send(5000, 105_000)).toBe(1000);
    expect(send(6000, 50_000)).toBeNull();
    send(7000, 53_000);
    expect(send(8000, 1_000_000)).toBeNull();
    meter.observe({ ...NOTHING, waiting: 1, totalBytes: 1e6 }, false);
    expect(meter.read(1_001_000).bytesPerSecond).toBeNull();
  });
});
