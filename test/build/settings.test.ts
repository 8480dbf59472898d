import { describe, expect, it } from '@jest/globals';
import { readSettings, SettingError } from '../../build/settings.js';

const refusal = (environment: Readonly<Record<string, string>>): string => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('the settings of a build', () => {
  it('default to a service on this computer', () => {
    expect(readSettings({})).toEqual({
      serviceBaseUrl: 'http://localhost:8780',
      clientId: 'creative-workspace-plugin',
      scope: 'uploads:write',
    });
  });

  it.each([
    ['https://workspace.example', 'https://workspace.example'],
    ['https://workspace.example/', 'https://workspace.example'],
    ['HTTPS://Workspace.Example:443/', 'https://workspace.example'],
    ['https://workspace.example:8443', 'https://workspace.example:8443'],
    ['http://localhost:8780', 'http://localhost:8780'],
    ['https://127.workspace.example', 'https://127.workspace.example'],
    [
      'https://creative-workspace-7f3b2c.northeurope-01.cloud.example',
      'https://creative-workspace-7f3b2c.northeurope-01.cloud.example',
    ],
  ])('read %s as the origin %s', (given, origin) => {
    expect(readSettings({ SERVICE_BASE_URL: given }).serviceBaseUrl).toBe(origin);
  });

  it.each([
    'http://127.0.0.1:8780',
    'https://127.0.0.1',
    'https://192.0.2.1',
    'http://[::1]:8780',
    'https://[2001:db8::1]',
    'http://127.1:8780',
    'http://0x7f.1',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://127.0.0.1.:8780',
    'http://\uff11\uff12\uff17.0.0.1',
  ])('refuse %s, which newer hosts drop from the manifest', (given) => {
    expect(refusal({ SERVICE_BASE_URL: given })).toMatch(
      /^SERVICE_BASE_URL must name its host, not the IP address .*newer hosts drop .*Permission denied to the url.*http:\/\/localhost:8780\.$/,
    );
  });

  it.each([
    ['', 'begin with https://'],
    ['   ', 'begin with https://'],
    ['workspace.example', 'begin with https://'],
    ['workspace.example:8443', 'begin with https://'],
    ['localhost:8780', 'begin with https://'],
    ['//workspace.example', 'begin with https://'],
    ['ftp://workspace.example', 'begin with https://'],
    ['https:/workspace.example', 'begin with https://'],
    ['http://workspace.example', 'begin with https://'],
    ['https://', 'be an address'],
    ['https://workspace.example:99999', 'be an address'],
    ['https://user:secret@workspace.example', 'be an address'],
    ['https://workspace.example ', 'be an address'],
    ['https://wörkspace.example', 'be an address'],
    ['https://workspace.example/photos', 'end after its host and port'],
    ['https://workspace.example/api/v1/', 'end after its host and port'],
    ['https://workspace.example?x=1', 'end after its host and port'],
    ['https://workspace.example#x', 'end after its host and port'],
  ])('refuse %j as the service address: it must %s', (given, must) => {
    const sentence = refusal({ SERVICE_BASE_URL: given });
    expect(sentence).toMatch(new RegExp(`^SERVICE_BASE_URL must ${must}.*\\.$`));
    expect(sentence).not.toContain('secret');
  });

  it.each([
    ['OAUTH_CLIENT_ID', ''],
    ['OAUTH_CLIENT_ID', '  '],
    ['OAUTH_CLIENT_ID', 'my-client\n'],
    ['OAUTH_CLIENT_ID', 'mein-gerät'],
    ['OAUTH_SCOPE', ''],
    ['OAUTH_SCOPE', ' '],
    ['OAUTH_SCOPE', 'uploads:write '],
    ['OAUTH_SCOPE', 'uploads:write  uploads:read'],
    ['OAUTH_SCOPE', '"uploads:write"'],
  ])('refuse %s = %j', (name, given) => {
    expect(refusal({ [name]: given })).toMatch(new RegExp(`^${name} must be .*\\.$`));
  });
});
