import { PanelStates, languagesAt } from './panel-states.js';
const states = await PanelStates.open();
for (const [width, height] of [
  [230, 800],
  [300, 800],
  [480, 800],
  [230, 300],
] as const) {
  const f = await states.layoutFaults(
    { width, height },
    process.argv[2] ? process.argv[2].split(',') : languagesAt({ width, height }),
  );
  const seen = new Map<string, string[]>();
  for (const [lang, by] of Object.entries(f))
    for (const [state, list] of Object.entries(by))
      for (const x of list) {
        const k = `${lang} ${x}`;
        seen.set(k, [...(seen.get(k) ?? []), state]);
      }
  console.log('##', width, height, seen.size);
  for (const [k, v] of [...seen].slice(0, 45)) console.log(k, '<-', v.slice(0, 3).join(), v.length);
}
for (const theme of ['lightest', 'light', 'dark', 'darkest']) {
  await states.page.setViewport({ width: 300, height: 800 });
  const { contrastFaults } = await import('./panel-layout.js');
  const c = await states.measured({ theme, lang: 'en_US' }, contrastFaults);
  console.log(theme, JSON.stringify(c).slice(0, 800));
}
console.log(states.problems);
await states.close();
