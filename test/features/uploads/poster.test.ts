import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Spool } from '../../../src/host/spool.js';
import { CwError } from '../../../src/util/errors.js';
import { FINDS_AGAIN } from '../../support/capabilities.js';
import type { PendingExchange } from '../../support/conversation.js';
import { memoryPhoto, memoryRecords, memorySpool } from '../../support/memory-host.js';
import { ENDPOINT, UploadFixture } from '../fixture.js';

const FILM = 'a film';
const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 1]);

describe('the picture that the app made of a film', () => {
  let fixture: UploadFixture;
  let picture: Spool['picture'];

  beforeEach(() => {
    fixture = new UploadFixture({ ...FINDS_AGAIN, uploadPosters: true });
    picture = () => Promise.resolve(PICTURE);
  });

  /** Sends a film and a photo. @returns the requests about pictures that are on the wire */
  const send = async (type = 'video/mp4'): Promise<readonly PendingExchange[]> => {
    const { storage } = fixture;
    fixture.openPorts = () => ({
      records: memoryRecords(storage),
      spool: { ...memorySpool(storage), ...(picture !== undefined && { picture }) },
    });
    await fixture.start();
    const bytes = new Uint8Array(Buffer.from(FILM));
    await fixture.uploads.addPhotos([memoryPhoto(storage, 'Film.mp4', bytes, type)]);
    return arriving();
  };
  const arriving = async (): Promise<readonly PendingExchange[]> => {
    for (;;) {
      await fixture.clock.settle();
      const { open } = fixture.network;
      const next = open.find(({ request }) => request.method !== 'PUT');
      if (next === undefined) return open;
      fixture.respond(next);
    }
  };

  it('is sent once after the film, which has arrived without it', async () => {
    const [exchange, ...others] = await send();
    expect(others).toEqual([]);
    expect(fixture.arrived()).toEqual([FILM]);
    expect(fixture.left).toBe(0);
    const { uploadId } = fixture.delivered[0] ?? {};
    expect(exchange?.request).toMatchObject({
      method: 'PUT',
      url: `${ENDPOINT}/${uploadId}/poster`,
      headers: { 'Content-Type': 'image/jpeg' },
    });
    expect(exchange?.token).not.toBeNull();
    expect(exchange?.request.body).toEqual(PICTURE.buffer);
    exchange?.respond(204);
    await fixture.clock.advance(60_000);
    expect(fixture.network.open).toEqual([]);
  });

  it.each<readonly [string, () => void, string]>([
    [
      'to a service that does not take it',
      () => {
        fixture = new UploadFixture(FINDS_AGAIN);
      },
      'video/mp4',
    ],
    [
      'if there is none',
      () => {
        picture = () => Promise.resolve(null);
      },
      'video/mp4',
    ],
    [
      'where the host makes none',
      () => {
        picture = undefined;
      },
      'video/mp4',
    ],
    ['for a layout, whose pages the service draws', () => undefined, 'application/pdf'],
  ])('is not sent %s', async (_, change, type) => {
    change();
    expect(await send(type)).toEqual([]);
    expect(fixture.arrived()).toEqual([FILM]);
  });

  it.each<readonly [string, (exchange: PendingExchange) => void]>([
    ['refuses it', (exchange) => exchange.respond(409, {}, { error: 'poster_not_taken' })],
    ['fails on it', (exchange) => exchange.respond(500)],
    ['does not know the address', (exchange) => exchange.respond(404)],
    ['is gone', (exchange) => exchange.fail(new CwError('CW-301', 'no connection'))],
    ['does not answer', () => undefined],
  ])('does not matter to the film and to others if the service %s', async (_, end) => {
    const [exchange] = await send();
    if (exchange) end(exchange);
    await fixture.queue('a photo');
    await arriving();
    await fixture.clock.advance(60_000);
    expect(fixture.arrived().sort()).toEqual([FILM, 'a photo']);
    expect(fixture.left).toBe(0);
    const posters = fixture.network.exchanges.filter(({ request }) => request.method === 'PUT');
    expect(posters).toHaveLength(1);
  });

  it('does not hold up the film while the host reads it', async () => {
    picture = () => new Promise(() => undefined);
    expect(await send()).toEqual([]);
    expect(fixture.arrived()).toEqual([FILM]);
    expect(fixture.left).toBe(0);
  });

  it('goes to nobody else: it ends with the session', async () => {
    const [exchange] = await send();
    await fixture.signOut();
    expect(exchange?.isCancelled).toBe(true);
  });

  it('is not sent in a later session', async () => {
    let read = (): void => undefined;
    picture = () =>
      new Promise((resolve) => {
        read = () => {
          resolve(PICTURE);
        };
      });
    await send();
    await fixture.signOut();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    read();
    expect(await arriving()).toEqual([]);
  });
});
