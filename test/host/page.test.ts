import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Bench, uncaught } from './fixture.js';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(async () => {
  await bench.end();
});

describe('the simulated page', () => {
  it('returns visible text only', async () => {
    const plugin = await bench.open({
      css: '.off { display: none } .gone { visibility: hidden }',
      body: `<div>One <sp-link>two</sp-link></div><div class="off">three</div><p class="gone">four</p>
        <sp-button>Connect</sp-button><sp-button disabled>Wait</sp-button><sp-button class="off">Hidden</sp-button>`,
    });
    expect(plugin.text()).toBe('One two\nConnect\nWait');
    expect(plugin.labels()).toEqual(['two', 'Connect']);
    expect(() => plugin.click('Wait')).toThrow('disabled');
    expect(() => plugin.click('Hidden')).toThrow('nothing to press');
  });

  it('applies the last rule, inline styles and inherited values', async () => {
    const plugin = await bench.open({
      css: `.off { display: none } .on { display: flex } .gone { visibility: hidden } .here { visibility: visible }
        @media print { p { display: none } } @media screen { .narrow { display: none } } p:is(.none) { display: none }`,
      body: `<p class="on off">shown by the later rule</p><p class="narrow on">hidden by the later rule</p>
        <p class="gone here">visible by the later rule</p><p hidden>hidden by itself</p><p hidden class="on">flex</p>
        <p class="off" style="display: block">shown by its style</p><p class="on" style="display: none">by its style</p>
        <p style="visibility: hidden">not visible by its style</p><p class="none">of a selector that requires more</p>
        <div class="off"><p class="on">in what is hidden</p></div><p style="color: red">red</p>`,
    });
    expect(plugin.text()).toBe(
      'shown by the later rule\nvisible by the later rule\nflex\nshown by its style\nred',
    );
    plugin.evaluate(`document.body.setAttribute('style', 'visibility: hidden')`);
    expect(plugin.text()).toBe('');
    plugin.evaluate(`document.body.setAttribute('style', 'display: none')`);
    expect(plugin.text()).toBe('');
    plugin.evaluate(`document.body.setAttribute('style', '')`);
    expect(plugin.text()).toContain('red');
  });

  it('reports elements and attributes without effect', async () => {
    const plugin = await bench.open({
      body: '<ul><li>one</li></ul><div aria-label="x" hidden>y</div>',
      script: `
        const span = document.createElement('span');
        span.setAttribute('role', 'status');
        document.body.appendChild(span);`,
    });
    await plugin.waitFor(() => plugin.findings.length >= 6);
    const texts = plugin.findings.map((finding) => finding.text.replace(/:.*/, ''));
    expect(texts.sort()).toEqual([
      '<li>',
      '<span>',
      '<ul>',
      'aria-label on <div>',
      'hidden on <div>',
      'role on <span>',
    ]);
  });

  it('honours only the listener option capture and never sends keypress or visibilitychange', async () => {
    const plugin = await bench.open({
      body: '<button>Go</button>',
      script: `
        const button = document.querySelector('button');
        button.addEventListener('click', () => console.log('click'), { once: true });
        button.addEventListener('keypress', () => undefined);
        document.addEventListener('visibilitychange', () => undefined);
        window.addEventListener('beforeunload', () => undefined);
        window.addEventListener('awake', () => undefined);`,
    });
    plugin.click('Go');
    plugin.click('Go');
    expect(plugin.console).toHaveLength(2);
    expect(plugin.findings.map((finding) => finding.text)).toEqual([
      'addEventListener ignores the option "once"',
      'the event "keypress" never comes here',
      'the event "visibilitychange" never comes here',
      'the event "beforeunload" never comes here',
      'the event "awake" never comes here',
    ]);
  });

  it('sends sleep and awake from UXP 9.2 on', async () => {
    const plugin = await bench.open(
      {
        script: `window.addEventListener('awake', (event) => console.log(event.type + (event.target === window)));`,
      },
      { uxpVersion: '9.2.0' },
    );
    plugin.system('awake');
    expect(plugin.console[0]?.text).toBe('awaketrue');
  });

  const picking = (guard: string): string => `
    let busy = false;
    document.querySelector('.add').addEventListener('click', async () => {
      ${guard}
      await require('uxp').storage.localFileSystem.getFileForOpening();
      busy = false;
    });`;

  it('repeats the click on a Spectrum widget that opens a picker', async () => {
    const plugin = await bench.open({
      permissions: { localFileSystem: 'request' },
      body: '<sp-button class="add">Add photos</sp-button>',
      script: picking(''),
    });
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.calls.length > 3);
    expect(plugin.findings[0]?.kind).toBe('repeated click');
  });

  it.each([
    ['a busy flag', 'sp-button', 'if (busy) return; busy = true;'],
    ['a plain button', 'button', ''],
  ])('opens one picker only with %s', async (_, tag, guard) => {
    const plugin = await bench.open({
      permissions: { localFileSystem: 'request' },
      body: `<${tag} class="add">Add photos</${tag}>`,
      script: picking(guard),
    });
    plugin.click('Add photos');
    await plugin.waitFor(() => plugin.control.pickers.open === 1);
    expect(plugin.control.pickers.calls).toHaveLength(1);
  });

  it('swallows uncaught errors and records them for the test', async () => {
    const plugin = await bench.open({
      body: '<button>Go</button>',
      script: `
        setTimeout(() => { throw new Error('in a timer'); }, 0);
        document.querySelector('button').addEventListener('click', () => { throw new Error('in a click'); });
        Promise.reject(new Error('in a promise'));
        throw new Error('at start');`,
    });
    plugin.click('Go');
    await plugin.waitFor(() => plugin.uncaught.length === 4);
    expect(uncaught(plugin).split('\n').sort()).toEqual([
      'at start',
      'in a click',
      'in a promise',
      'in a timer',
    ]);
  });
});
