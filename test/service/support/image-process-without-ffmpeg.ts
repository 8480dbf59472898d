/** The picture process, on a machine where the operator has not installed ffmpeg. */
import process from 'node:process';

process.env['PATH'] = '';
await import('../../../service/library/previews/image-worker-process.js');
