import { parseJsonObject, textField } from '../../util/json.js';
import { readProjectRef, type ProjectRef } from '../../api/project.js';
import { type Preset, readPreset, writePreset } from '../presets/index.js';

/** What a step of an Action does. */
export interface RecordedStep {
  readonly preset: Preset;
  /** Null for no project. */
  readonly project: ProjectRef | null;
}

/** Gives the text that an Action keeps. Actions are shared between computers, so it has the whole preset. */
export function writeStep({ preset, project }: RecordedStep): string {
  return JSON.stringify({ version: 1, preset: writePreset(preset, 0), project });
}

/** Reads a recorded step; null for anything that is not one. */
export function readStep(content: string): RecordedStep | null {
  const body = parseJsonObject(content);
  const read = body?.['version'] === 1 ? readPreset(textField(body, 'preset') ?? '') : null;
  if (!body || !read) {
    return null;
  }
  const { project } = body;
  const ref = readProjectRef(project);
  // A project that cannot be read must not become "no project": the photo would go elsewhere without a word.
  return project === null || ref ? { preset: read.preset, project: ref } : null;
}
