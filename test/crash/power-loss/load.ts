import { DEMO_ACCOUNT } from '../../../service/identity/accounts/demo.js';
import type { TestBrowser } from '../../service/support/browser-client.js';
import { Device } from './device.js';
import { Guest, SharedLink } from './guest.js';
import type { Ledger } from './ledger.js';
import { signIn, type Restored } from './restored.js';
import { SentPhoto } from './sent-photo.js';

const MIB = 1024 * 1024;

/** How much is done in one stretch, between two starts of the service. */
export interface LoadSize {
  readonly devices: number;
  readonly smallPhotos: number;
  /** Bytes of the large photo that one device sends in parts; the others send smaller ones. */
  readonly large: number;
}

/** Users and devices of a service, and the acknowledged states. */
export class Load {
  private readonly devices: Device[];
  private readonly photos: SentPhoto[] = [];
  private readonly links: SharedLink[] = [];
  private readonly guest: Guest;

  constructor(
    private readonly ledger: Ledger,
    private readonly random: () => number,
    private readonly size: LoadSize,
  ) {
    this.devices = Array.from({ length: size.devices }, () => new Device(ledger));
    this.guest = new Guest(ledger);
  }

  /** The first steps, in an empty service. */
  async begin(url: string): Promise<void> {
    const owner = await this.finds(url);
    await Promise.all([
      ...this.devices.map((device, index) => this.work(url, owner, device, index === 0)),
      this.guest.join(url, owner).then((browser) => this.guest.changeName(browser)),
    ]);
  }

  /** The steps after a restart. */
  async goOn(url: string): Promise<void> {
    const owner = await this.finds(url);
    const guest = async (): Promise<void> => {
      const browser = await this.guest.signIn(url);
      await this.guest.changePassword(browser);
      await this.guest.changeName(browser);
    };
    const [first, ...others] = this.devices;
    await Promise.all([
      ...others.map((device) => this.work(url, owner, device, false)),
      ...(first?.isConnected === true ? [first.refresh().then(() => first.revoke())] : []),
      ...this.links.filter(({ isOpen }) => isOpen).map((link) => link.revoke(owner.copy())),
      guest(),
    ]);
  }

  /** Checks every acknowledged state. */
  async check(restored: Restored): Promise<void> {
    for (const each of [...this.devices, ...this.photos, ...this.links, this.guest])
      await each.check(restored);
  }

  private async finds(url: string): Promise<TestBrowser> {
    for (const device of this.devices) device.finds(url);
    return signIn(url, DEMO_ACCOUNT);
  }

  /** The uploads of one device, and later changes. */
  private async work(
    url: string,
    owner: TestBrowser,
    device: Device,
    isFirst: boolean,
  ): Promise<void> {
    if (device.isConnected) await device.refresh();
    else await device.connect();
    for (let count = 0; count < this.size.smallPhotos; count += 1)
      await this.photo(device, 3 + this.random() ** 2 * 200_000).sendWhole(url);
    await device.refresh();
    const large = this.photo(device, isFirst ? this.size.large : this.random() * 2 * MIB + 100);
    await large.begin(url);
    // One part is sent later, or never.
    const rest = isFirst ? this.random() * MIB : 0;
    while (large.missing > rest)
      await large.sendPart(url, Math.ceil((0.1 + this.random()) * (isFirst ? 3 : 0.5) * MIB));
    const given = this.photo(device, 500_000);
    await given.begin(url);
    await given.sendPart(url, 100_000);
    if (!isFirst) await given.giveUp(url);
    await device.refresh();
    if (isFirst) await this.oneByOne(owner);
  }

  /** The owner's actions on uploaded photos; a browser does one after the other. */
  private async oneByOne(owner: TestBrowser): Promise<void> {
    const browser = owner.copy();
    const [shared, trashed, removed] = this.photos.filter(({ state }) => state === 'arrived');
    if (shared === undefined) return;
    const link = new SharedLink(this.ledger);
    this.links.push(link);
    await link.make(browser, shared);
    await trashed?.trash(browser);
    await removed?.trash(browser);
    await removed?.removeForGood(browser);
  }

  private photo(device: Device, size: number): SentPhoto {
    const photo = new SentPhoto(this.ledger, device, Math.floor(size), this.photos.length + 1);
    this.photos.push(photo);
    return photo;
  }
}
