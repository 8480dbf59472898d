import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Bench, bodyOf, uncaught, withNetwork } from './fixture.js';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(async () => {
  await bench.end();
});

describe('the simulated network', () => {
  it('refuses an origin or port that the manifest does not name', async () => {
    const origin = await bench.serve((_, response) => response.end('x'));
    const plugin = await bench.open({
      permissions: withNetwork('http://localhost:1'),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onerror = () => console.log('error ' + xhr.status);
        xhr.open('GET', '${origin}/');
        xhr.send();
        fetch('${origin}/').catch((error) => console.log(error instanceof TypeError));`,
    });
    await plugin.waitFor(() => plugin.console.length === 2);
    expect(plugin.console.map((line) => line.text).sort()).toEqual(['error 0', 'true']);
    expect(plugin.findings[0]?.text).toContain('Manifest entry not found');
  });

  it.each(['8.4.0', '9.4.1'])(
    'silently drops an IP address from the list in UXP %s',
    async (uxpVersion) => {
      const origin = (await bench.serve((_, response) => response.end('x'))).replace(
        'localhost',
        '127.0.0.1',
      );
      const plugin = await bench.open(
        {
          permissions: withNetwork(origin, 'http://localhost:1'),
          script: `
          const xhr = new XMLHttpRequest();
          xhr.onload = xhr.onerror = (event) => console.log(event.type);
          xhr.open('GET', '${origin}/');
          xhr.send();`,
        },
        { uxpVersion },
      );
      await plugin.waitFor(() => plugin.console.length === 1);
      expect(plugin.console[0]?.text).toBe('error');
      expect(plugin.requests[0]?.failure).toContain('Permission denied to the url');
      expect(plugin.requests[0]?.failure).toContain('Manifest entry not found');
    },
  );

  it('refuses plain http on macOS unless loopback is allowed', async () => {
    const origin = await bench.serve((_, response) => response.end('x'));
    const tiny = {
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onload = xhr.onerror = (event) => console.log(event.type);
        xhr.open('GET', '${origin}/');
        xhr.send();`,
    };
    const mac = await bench.open(tiny, { allowLoopbackHttp: false });
    await mac.waitFor(() => mac.console.length === 1);
    expect(mac.console[0]?.text).toBe('error');
    mac.kill();
    const windows = await bench.open(tiny, { allowLoopbackHttp: false, platform: 'win32' });
    await windows.waitFor(() => windows.console.length === 1);
    expect(windows.console[0]?.text).toBe('load');
  });

  it.each([
    ['a Blob', 'new Blob(["x"])'],
    ['a typed array', 'new Uint8Array(2)'],
    ['a form', '({ a: 1 })'],
  ])('refuses to send %s by XMLHttpRequest', async (_, body) => {
    const plugin = await bench.open({
      permissions: withNetwork('http://localhost:9'),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.open('POST', 'http://localhost:9/');
        xhr.send(${body});`,
    });
    expect(uncaught(plugin)).toContain('only a string or an ArrayBuffer');
  });

  it('refuses synchronous requests, odd methods and relative addresses', async () => {
    const plugin = await bench.open({});
    const open = (args: string) => () => plugin.evaluate(`new XMLHttpRequest().open(${args})`);
    expect(open('"GET", "https://example.com/", false')).toThrow('synchronous');
    expect(open('"TRACE", "https://example.com/"')).toThrow('not allowed');
    expect(open('"GET", "/relative"')).toThrow('not absolute');
    expect(open('"GET"')).toThrow('needs a method');
  });

  it('silently drops forbidden headers and sends no cookie', async () => {
    let headers: NodeJS.Dict<string | string[]> = {};
    const origin = await bench.serve((request, response) => {
      headers = request.headers;
      response.setHeader('Set-Cookie', 'a=b').end();
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const send = (next) => {
          const xhr = new XMLHttpRequest();
          xhr.onload = next;
          xhr.open('POST', '${origin}/');
          xhr.setRequestHeader('Content-Length', '99');
          xhr.setRequestHeader('Cookie', 'a=b');
          xhr.setRequestHeader('X-Own', 'yes');
          xhr.send('text');
        };
        send(() => send(() => console.log('done')));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(headers).toMatchObject({ 'content-length': '4', 'x-own': 'yes' });
    expect(headers['cookie']).toBeUndefined();
    expect(plugin.findings.map((finding) => finding.text)).toContain(
      'header Cookie is forbidden and was dropped',
    );
  });

  it('reports upload progress to the end and the response as bytes', async () => {
    let received = 0;
    const origin = await bench.serve((request, response) => {
      void bodyOf(request).then((body) => {
        received = body.byteLength;
        response.writeHead(201, { Location: '/uploads/1' }).end(Buffer.from([1, 2, 3]));
      });
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        let last = 0, steps = 0;
        xhr.upload.onprogress = (event) => { steps += 1; last = event.loaded; };
        xhr.onload = () => console.log(JSON.stringify({
          status: xhr.status, steps: steps > 2, last, at: xhr.getResponseHeader('LOCATION'),
          bytes: Array.from(new Uint8Array(xhr.response)),
        }));
        xhr.open('PATCH', '${origin}/uploads');
        xhr.responseType = 'arrayBuffer';
        xhr.send(new ArrayBuffer(1000000));`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(JSON.parse(plugin.console[0]?.text ?? '')).toEqual({
      status: 201,
      steps: true,
      last: 1_000_000,
      at: '/uploads/1',
      bytes: [1, 2, 3],
    });
    expect(received).toBe(1_000_000);
  });

  it('times out and aborts with the documented handlers', async () => {
    const origin = await bench.serve(() => undefined);
    const plugin = await bench.open(
      {
        permissions: withNetwork(origin),
        script: `
        const late = new XMLHttpRequest();
        late.timeout = 30;
        late.ontimeout = () => console.log('timeout ' + late.status);
        late.open('GET', '${origin}/');
        late.send();
        const stopped = new XMLHttpRequest();
        stopped.onabort = () => console.log('abort');
        stopped.open('GET', '${origin}/');
        stopped.send();
        setTimeout(() => { stopped.abort(); console.log('state ' + stopped.readyState); }, 5);`,
      },
      { uxpVersion: '9.0.2' },
    );
    await plugin.waitFor(() => plugin.console.length === 3);
    expect(plugin.console.map((line) => line.text)).toEqual(['abort', 'state 0', 'timeout 0']);
  });

  it.each([
    ['8.4.0', undefined],
    ['9.0.2', 0],
  ])('in UXP %s reports its state: %s, and has the constants', async (uxpVersion, state) => {
    const plugin = await bench.open({}, { uxpVersion });
    expect(plugin.evaluate('new XMLHttpRequest().readyState')).toBe(state);
    expect(plugin.evaluate('"readyState" in new XMLHttpRequest()')).toBe(state !== undefined);
    const constants = [
      'XMLHttpRequest.DONE',
      'XMLHttpRequest.prototype.OPENED',
      'new XMLHttpRequest().LOADING',
    ];
    expect(constants.map((name) => plugin.evaluate(name))).toEqual([4, 1, 3]);
  });

  it.each([
    ['8.3.0', '26.8', true],
    ['8.4.0', '26.9', false],
  ])(
    'in UXP %s a redirect to another origin keeps Authorization: %s %s',
    async (uxpVersion, minVersion, kept) => {
      let seen: string | undefined;
      const other = await bench.serve((request, response) => {
        seen = request.headers.authorization;
        response.end('there');
      });
      const origin = await bench.serve((_, response) => {
        response.writeHead(302, { Location: `${other}/landed` }).end();
      });
      const plugin = await bench.open(
        {
          permissions: withNetwork(origin, other),
          manifest: { host: { app: 'PS', minVersion } },
          script: `
            const xhr = new XMLHttpRequest();
            xhr.onload = () => console.log(xhr.responseURL);
            xhr.open('GET', '${origin}/');
            xhr.setRequestHeader('Authorization', 'Bearer secret');
            xhr.send();`,
        },
        { uxpVersion },
      );
      await plugin.waitFor(() => plugin.console.length === 1);
      expect(plugin.console[0]?.text).toBe(`${other}/landed`);
      expect(seen).toBe(kept ? 'Bearer secret' : undefined);
    },
  );

  it('refuses a redirect to an origin the manifest does not name', async () => {
    const other = await bench.serve((_, response) => response.end('there'));
    const origin = await bench.serve((_, response) => {
      response.writeHead(307, { Location: other }).end();
    });
    const plugin = await bench.open({
      permissions: withNetwork(origin),
      script: `
        const xhr = new XMLHttpRequest();
        xhr.onerror = () => console.log('error');
        xhr.open('GET', '${origin}/');
        xhr.send();`,
    });
    await plugin.waitFor(() => plugin.console.length === 1);
    expect(plugin.requests.map((request) => request.status ?? request.failure)).toEqual([
      307,
      expect.stringContaining('network.domains'),
    ]);
  });
});
