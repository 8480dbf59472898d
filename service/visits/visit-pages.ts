import type { ServerResponse } from 'node:http';
import type { RouteMatch } from '../http/route-table.js';
import { sendPage } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import { notFoundPage } from '../pages/outcome.js';
import type { VisitHandler } from './visit.js';
import type { Visits } from './visits.js';

/** Pages for people who are signed in, by their paths in the route table. */
export class VisitPages {
  constructor(
    private readonly visits: Visits,
    private readonly pages: ReadonlyMap<string, VisitHandler>,
  ) {}

  /** Answers a GET or POST of one of these pages. */
  async handle(request: WholeRequest, response: ServerResponse, match: RouteMatch): Promise<void> {
    const visitor = await this.visits.meet(request, response);
    const visit = this.visits.admit(visitor, request, response, match);
    const page = this.pages.get(match.route.path);
    if (visit === undefined) {
      return;
    }
    if (page === undefined) {
      sendPage(response, 404, notFoundPage());
    } else {
      await page(visit);
    }
  }
}
