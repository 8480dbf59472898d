/**
 * A program with a watchdog whose job rests. It prints for how many milliseconds, and how often its threads gave up their
 * processor in that time.
 * @packageDocumentation
 */
import { setTimeout as rest } from 'node:timers/promises';
import { Watchdog } from '../../../../service/library/previews/watchdog.js';

const watchdog = await Watchdog.start({ processorMs: 60_000, memoryBytes: 1e12 });
watchdog.begin();
await rest(200);
const before = process.resourceUsage().voluntaryContextSwitches;
const began = performance.now();
await rest(1000);
const ms = performance.now() - began;
console.log(JSON.stringify([ms, process.resourceUsage().voluntaryContextSwitches - before]));
process.exit();
