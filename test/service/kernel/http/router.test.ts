import { expect, it } from '@jest/globals';
import { compileRoutes, type Route } from '../../../../service/kernel/http/router.js';

const route = (path: string): Route => ({ path, kind: 'page', handlers: {} });
const PATHS = [
  '/',
  '/photos',
  '/photos/:id',
  '/photos/zip',
  '/photos/:id/file',
  '/photos/zip/file',
];

it.each([
  ['as listed', PATHS],
  ['the other way round', PATHS.toReversed()],
])('finds the route with the fixed segment, whatever the order: %s', (_order, paths) => {
  const find = compileRoutes(paths.map(route));
  const found = (path: string): unknown => {
    const match = find(path);
    return match && [match.route.path, match.id];
  };
  expect(found('/')).toEqual(['/', '']);
  expect(found('/photos/zip')).toEqual(['/photos/zip', '']);
  expect(found('/photos/a1')).toEqual(['/photos/:id', 'a1']);
  expect(found('/photos/zip/file')).toEqual(['/photos/zip/file', '']);
  expect(found('/photos/a1/file')).toEqual(['/photos/:id/file', 'a1']);
  expect(found('/photos/a1/zip')).toBeUndefined();
});
