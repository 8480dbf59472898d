import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RawConnection } from '../../attacks/raw-connection.js';
import { listUploads } from '../../support/oauth-client.js';
import { useService } from '../../support/use-service.js';
import { photo, sha256 } from '../../support/tus-client.js';

/**
 * A Python that has tuspy, the official client for Python. `npm run test:all -- postgres` installs it where it may; without
 * one its requests are imitated.
 */
const PYTHON = process.env['TEST_TUSPY_PYTHON'];

/** Other official clients of tus than the one that the plugin uses, which `uploads.test.ts` tries. */
describe('clients of tus that were not written in JavaScript', () => {
  let token: string;
  let host: string;

  const service = useService();
  beforeAll(async () => {
    token = (await service.connect()).accessToken;
    ({ host } = new URL(service.baseUrl));
  });

  const listed = async (hash: string): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { sha256: string; name: string }[])
      .filter((upload) => upload.sha256 === hash)
      .map(({ name }) => name);
  };

  /** Sends the head of a request, waits for 100 if it expects that, and sends the rest. */
  const exchange = async (
    head: readonly string[],
    body: string,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>> }> => {
    const connection = await RawConnection.open(service.baseUrl);
    try {
      connection.send(`${head.join('\r\n')}\r\n\r\n`);
      const waits = head.some((line) => line === 'Expect: 100-continue');
      while (waits && !connection.text.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) {
        await new Promise(setImmediate);
      }
      connection.send(body);
      const begins = waits ? 'HTTP/1.1 100 Continue\r\n\r\n'.length : 0;
      while (!connection.text.slice(begins).includes('\r\n\r\n')) await new Promise(setImmediate);
      const [first = '', ...lines] = connection.text.slice(begins).split('\r\n');
      return {
        status: Number(first.split(' ')[1]),
        headers: Object.fromEntries(
          lines.map((line) => {
            const colon = line.indexOf(': ');
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
          }),
        ),
      };
    } finally {
      connection.cut();
    }
  };

  /**
   * Recorded requests of tus-java-client 0.5.1 with Java 17, except for token, host and bytes: all by
   * POST, chunked; and after the upload an empty chunk at the end of the file.
   */
  it('tus-java-client: POST with X-HTTP-Method-Override, chunked', async () => {
    const bytes = photo(300_000, 31);
    const common = (lines: readonly string[]): string[] => [
      'Tus-Resumable: 1.0.0',
      `Authorization: Bearer ${token}`,
      ...lines,
      'User-Agent: Java/17.0.15',
      `Host: ${host}`,
      'Accept: text/html, image/gif, image/jpeg, */*; q=0.2',
      'Connection: keep-alive',
    ];
    const metadata = 'Upload-Metadata: filename SU1HIDAwMDEuanBn';
    const created = await exchange(
      ['POST /api/v1/uploads HTTP/1.1', ...common([metadata, 'Upload-Length: 300000'])],
      '',
    );
    expect(created.status).toBe(201);
    for (const [from, to] of [
      [0, 150_000],
      [150_000, 300_000],
      [300_000, 300_000],
    ] as const) {
      let body = '';
      for (let at = from; at < to; at += 4089) {
        const piece = bytes.subarray(at, Math.min(at + 4089, to));
        const text = Buffer.from(piece).toString('latin1');
        body += `${piece.length.toString(16)}\r\n${text}\r\n`;
      }
      const answer = await exchange(
        [
          `POST ${created.headers['location'] ?? ''} HTTP/1.1`,
          ...common([
            `Upload-Offset: ${from}`,
            'Content-Type: application/offset+octet-stream',
            'Expect: 100-continue',
            'X-HTTP-Method-Override: PATCH',
          ]),
          'Transfer-Encoding: chunked',
        ],
        `${body}0\r\n\r\n`,
      );
      expect([answer.status, answer.headers['upload-offset']]).toEqual([204, String(to)]);
    }
    expect(await listed(sha256(bytes))).toEqual(['IMG 0001.jpg']);
  });

  it('tuspy: empty metadata', async () => {
    const bytes = photo(250_000, 32);
    if (PYTHON === undefined) await likeTuspy(bytes);
    else await withTuspy(PYTHON, bytes);

    expect(await listed(sha256(bytes))).toEqual(['untitled']);
  });

  const withTuspy = async (python: string, bytes: Uint8Array): Promise<void> => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tuspy-'));
    try {
      const file = path.join(folder, 'photo.jpg');
      await writeFile(file, bytes);
      const script = path.join(import.meta.dirname, 'tuspy_client.py');
      const child = spawn(python, [script, `${service.baseUrl}/api/v1/uploads`, token, file], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  /** Recorded requests of tuspy 1.0.0 with requests 2.28.1. */
  const likeTuspy = async (bytes: Uint8Array): Promise<void> => {
    const common = [
      `Host: ${host}`,
      'User-Agent: python-requests/2.28.1',
      'Accept-Encoding: gzip, deflate',
      'Accept: */*',
      'Connection: keep-alive',
      'Tus-Resumable: 1.0.0',
      `Authorization: Bearer ${token}`,
    ];
    const created = await exchange(
      [
        'POST /api/v1/uploads HTTP/1.1',
        ...common,
        'upload-length: 250000',
        'upload-metadata: ',
        'Content-Length: 0',
      ],
      '',
    );
    expect(created.status).toBe(201);
    for (let at = 0; at < bytes.length; at += 100_000) {
      const piece = bytes.subarray(at, at + 100_000);
      const answer = await exchange(
        [
          `PATCH ${created.headers['location'] ?? ''} HTTP/1.1`,
          ...common,
          `upload-offset: ${at}`,
          'Content-Type: application/offset+octet-stream',
          `Content-Length: ${piece.length}`,
        ],
        Buffer.from(piece).toString('latin1'),
      );
      expect(answer.status).toBe(204);
    }
  };
});
