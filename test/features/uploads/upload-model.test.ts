import { expect, it } from '@jest/globals';
import fc from '../../support/properties.js';
import { testRuns, testSeed } from '../../support/seeded-random.js';
import { UploadFixture, textOf } from '../fixture.js';
import { newModel } from './upload-model.js';
import {
  answerPrevious,
  answerQuestion,
  commands,
  restart,
  retryFailed,
  signIn,
} from './upload-model-commands.js';

const seed = testSeed();

it(`neither loses nor duplicates a photo, nor mistakes its project or version, for any order of steps (TEST_SEED=${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(commands, { maxCommands: 100 }),
      fc.boolean(),
      fc.boolean(),
      async (sequence, reports, hasKnownUploads) => {
        const model = newModel();
        const fixture = new UploadFixture();
        fixture.reports = reports;
        fixture.hasKnownUploads = hasKnownUploads;
        fixture.more = { projectDestination: true, photoVersions: hasKnownUploads };
        await fixture.start();
        await fc.asyncModelRun(() => ({ model, real: fixture }), sequence);

        // In the end everything is let through.
        if (model.account === null) await signIn('anna').run(model, fixture);
        await answerQuestion(true).run(model, fixture);
        // Another session has every permission.
        fixture.uploads.onSignedIn();
        model.paused = false;
        fixture.uploads.resume();
        await retryFailed(fixture);
        for (let round = 0; round < 400 && fixture.unsent.length > 0; round += 1) {
          for (const exchange of fixture.network.open) fixture.respond(exchange);
          if (fixture.uploads.state.get().previous.length > 0)
            await answerPrevious('replace').run(model, fixture);
          await fixture.clock.advance(2_000);
        }
        expect(fixture.unsent.map(textOf)).toEqual([]);
        const arrived = fixture.arrived();
        for (const photo of model.photos) expect(arrived).toContain(photo);
        await fixture.clock.advance(2_000);
        await restart(model, fixture);
        await fixture.clock.settle();
        expect(fixture.left).toBe(0);
      },
    ),
    { numRuns: testRuns(20), seed },
  );
});
