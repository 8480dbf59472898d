import { expect, it } from '@jest/globals';
import fc from '../support/properties.js';
import { testRuns, testSeed } from '../support/seeded-random.js';
import { Rig, textOf } from './fixture.js';
import { newModel } from './upload-model.js';
import { answerQuestion, commands, restart, retryFailed, signIn } from './upload-model-commands.js';

const seed = testSeed();

it(`neither loses nor duplicates a photo for any order of steps (TEST_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: 100 }),
      fc.boolean(),
      async (sequence, reports) => {
        const model = newModel();
        const rig = new Rig();
        rig.reports = reports;
        await rig.start();
        await fc.asyncModelRun(() => ({ model, real: rig }), sequence);

        // In the end everything is let through.
        if (model.account === null) await signIn('anna').run(model, rig);
        await answerQuestion(true).run(model, rig);
        rig.uploader.resume();
        await retryFailed(rig);
        for (let round = 0; round < 400 && rig.unsent.length > 0; round += 1) {
          for (const exchange of rig.network.open) rig.respond(exchange);
          await rig.clock.advance(2_000);
        }
        expect(rig.unsent.map(textOf)).toEqual([]);
        const arrived = rig.arrived();
        for (const photo of model.photos) expect(arrived).toContain(photo);
        await rig.clock.advance(2_000);
        await restart(model, rig);
        await rig.clock.settle();
        expect(rig.left).toBe(0);
      },
    ),
    { numRuns: testRuns(20), seed },
  );
});
