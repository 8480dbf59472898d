import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { MissingKeyAnswer } from '../host/modules/secure-storage.js';
import fc from '../support/properties.js';
import { implementations, openUxp, type PortsUnderTest, type UxpPorts } from './implementations.js';
import { anyText } from '../support/arbitrary-text.js';

describe.each(implementations)('SecretStore: $name', ({ open }) => {
  let ports: PortsUnderTest;

  beforeEach(async () => {
    ports = await open();
  });
  afterEach(async () => {
    ports.heal();
    await ports.dispose();
  });

  it('has nothing under a key at first', async () => {
    expect(await ports.secrets.get('session')).toBeNull();
  });

  it('returns any non-empty text, also after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ minLength: 1, maxLength: 200 }), async (text) => {
        await ports.secrets.set('session', text);
        expect(await ports.secrets.get('session')).toBe(text);
        ports = ports.restart();
        expect(await ports.secrets.get('session')).toBe(text);
      }),
      { numRuns: 25 },
    );
  });

  it('keeps the last text of each key', async () => {
    await ports.secrets.set('session', 'one');
    await ports.secrets.set('sign-in', 'other');
    await ports.secrets.set('session', 'two');
    expect(await ports.secrets.get('session')).toBe('two');
    expect(await ports.secrets.get('sign-in')).toBe('other');
  });

  it('removes a key, also a missing one', async () => {
    await ports.secrets.set('session', 'one');
    await ports.secrets.remove('session');
    await ports.secrets.remove('session');
    await ports.secrets.remove('never there');
    expect(await ports.secrets.get('session')).toBeNull();
    ports = ports.restart();
    expect(await ports.secrets.get('session')).toBeNull();
  });

  it('throws CW-701 when a write is refused, keeps the previous text, and recovers', async () => {
    await ports.secrets.set('session', 'one');
    ports.refuseSecrets();
    await expect(ports.secrets.set('session', 'two')).rejects.toMatchObject({ code: 'CW-701' });
    expect(await ports.secrets.get('session')).toBe('one');
    ports.heal();
    await ports.secrets.set('session', 'three');
    expect(await ports.secrets.get('session')).toBe('three');
  });

  it('is empty after the storage lost everything, and accepts writes', async () => {
    await ports.secrets.set('session', 'one');
    await ports.loseSecrets();
    expect(await ports.secrets.get('session')).toBeNull();
    await ports.secrets.remove('session');
    await ports.secrets.set('session', 'two');
    expect(await ports.secrets.get('session')).toBe('two');
  });
});

describe.each(['8.4.0', '9.2.0'])('SecretStore on secureStorage of UXP %s', (version) => {
  let ports: UxpPorts;

  beforeEach(() => {
    ports = openUxp(version);
  });
  afterEach(async () => {
    await ports.dispose();
  });

  it.each<MissingKeyAnswer>(['null', 'undefined', 'empty', 'reject'])(
    'returns null for a missing key when the host answers "%s"',
    async (answer) => {
      const { secureStorage } = ports.modules.uxp.storage;
      const reads = jest.spyOn(secureStorage, 'getItem');
      ports.modules.control.secureStorage.missingKey = answer;
      await ports.secrets.set('sign-in', 'other');
      expect(await ports.secrets.get('session')).toBeNull();
      // Every start reads missing keys: it must not wait for retries.
      expect(reads).toHaveBeenCalledTimes(1);
      reads.mockRestore();
    },
  );

  it.each<MissingKeyAnswer>(['null', 'undefined', 'empty', 'reject'])(
    'removes a missing key when the host answers "%s" and rejects the removal',
    async (answer) => {
      const { secureStorage } = ports.modules.uxp.storage;
      ports.modules.control.secureStorage.missingKey = answer;
      const spy = jest.spyOn(secureStorage, 'removeItem').mockRejectedValue(new Error('no item'));
      await ports.secrets.remove('session');
      spy.mockRestore();
      expect(await ports.secrets.get('session')).toBeNull();
    },
  );

  it('returns null for a value that is not text', async () => {
    await ports.modules.uxp.storage.secureStorage.setItem('session', Uint8Array.of(0xff, 0xfe));
    expect(await ports.secrets.get('session')).toBeNull();
  });

  it('reads a secret although storage fails once', async () => {
    await ports.secrets.set('session', 'one');
    const { secureStorage } = ports.modules.uxp.storage;
    const spy = jest.spyOn(secureStorage, 'getItem').mockRejectedValueOnce(new Error('locked'));
    expect(await ports.secrets.get('session')).toBe('one');
    expect(spy).toHaveBeenCalledTimes(2);
    spy.mockRestore();
  });

  it('stores a secret although storage fails once', async () => {
    const { secureStorage } = ports.modules.uxp.storage;
    const spy = jest.spyOn(secureStorage, 'setItem').mockRejectedValueOnce(new Error('locked'));
    await ports.secrets.set('session', 'one');
    spy.mockRestore();
    expect(await ports.secrets.get('session')).toBe('one');
  });

  it('returns null when storage fails', async () => {
    await ports.secrets.set('session', 'one');
    ports.modules.control.secureStorage.failReads('the keychain is locked');
    expect(await ports.secrets.get('session')).toBeNull();
  });

  it('throws CW-701 when an existing secret cannot be removed', async () => {
    await ports.secrets.set('session', 'one');
    ports.refuseSecrets();
    await expect(ports.secrets.remove('session')).rejects.toMatchObject({ code: 'CW-701' });
  });

  it('puts no secret into the message of an error', async () => {
    ports.refuseSecrets();
    const error: unknown = await ports.secrets
      .set('session', 'svc_at_secret')
      .catch((e: unknown) => e);
    expect(String(error)).toContain('CW-701');
    expect(String(error)).not.toContain('svc_at_secret');
  });
});
