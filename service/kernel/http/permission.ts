import type { BufferedContext, RequestContext } from './request/request-context.js';

/** Who may send a request. */
export interface Permission<Caller, Context extends RequestContext = RequestContext> {
  /**
   * What a sender proves: nothing, a secret address, the session of a browser, or an access token. Scripts of other origins may
   * use a route unless a session is needed.
   */
  readonly kind: 'open' | 'link' | 'session' | 'token';
  /** The condition, for the list of all routes. */
  readonly condition: string;
  /** Finds the caller. Undefined when they may not send the request; the refusal has been sent then. */
  authorize(context: Context): Promise<Caller | undefined>;
}

/** The caller of an open route, who is not known. */
export type Anybody = 'anybody';

/** Everybody may send the request. */
export const OPEN: Permission<Anybody> = {
  kind: 'open',
  condition: 'open',
  authorize: () => Promise.resolve('anybody'),
};

/**
 * A handler behind its permission. Only {@link permit} makes one, and the pipeline accepts nothing else. So no request reaches
 * a handler whose permission was not checked.
 */
export class Endpoint<Context extends RequestContext> {
  private constructor(
    readonly permission: Pick<Permission<unknown>, 'kind' | 'condition'>,
    private readonly guarded: (context: Context) => Promise<void>,
  ) {}

  static of<Caller, Context extends RequestContext>(
    permission: Permission<Caller, Context>,
    handler: (context: Context, caller: Caller) => Promise<void>,
  ): Endpoint<Context> {
    return new Endpoint(permission, async (context: Context) => {
      const caller = await permission.authorize(context);
      if (caller !== undefined) {
        await handler(context, caller);
      }
    });
  }

  /** Answers a request: with the refusal, or by the handler. */
  answer(context: Context): Promise<void> {
    return this.guarded(context);
  }
}

/**
 * Puts the handlers of some methods behind a permission. They receive the caller that it finds. A handler that needs a caller
 * does not compile behind a permission that finds none.
 */
export function permit<Caller, Context extends RequestContext = BufferedContext>(
  permission: Permission<Caller, NoInfer<Context>>,
  handlers: Readonly<Record<string, (context: Context, caller: NoInfer<Caller>) => Promise<void>>>,
): Readonly<Record<string, Endpoint<Context>>> {
  return Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      Endpoint.of<Caller, Context>(permission, handler),
    ]),
  );
}
