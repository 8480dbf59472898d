/** The demo sign-in as {@link startService} returns it. */
export interface SignIn {
  readonly username: string;
  readonly password: string;
}

/** A form of a page: where it goes, its fields with their values, and the words on its buttons. */
interface PageForm {
  readonly action: string;
  readonly method: 'GET' | 'POST';
  /** A group of which nothing is chosen has an empty value. */
  readonly fields: Readonly<Record<string, string>>;
  readonly buttons: readonly {
    readonly label: string;
    readonly name: string;
    readonly value: string;
  }[];
}

/** A page as the user sees it. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly markup: string;
  /** The text without markup, white space collapsed. */
  readonly text: string;
  /** The first form that is neither the one to sign out nor the one to use another account. */
  readonly form: PageForm | undefined;
  readonly forms: readonly PageForm[];
}

/**
 * A browser without JavaScript: keeps cookies per path, follows redirects, fills in and submits
 * forms as HTML requires. It refuses to leave the origin it was made for.
 */
export class TestBrowser {
  private readonly origin: string;
  private readonly cookies = new Map<string, { value: string; path: string }>();
  private current: Page | undefined;
  private left: URL | undefined;
  private address: string | undefined;
  private language: string | undefined;
  private followsRedirects = true;

  /** Every `Set-Cookie` header that it has received. */
  readonly setCookies: string[] = [];

  /** @param reachedAt where the service listens, if that is not its base URL: as through a proxy that ends TLS. */
  constructor(
    baseUrl: string,
    private readonly reachedAt = baseUrl,
  ) {
    this.origin = new URL(baseUrl).origin;
  }

  get page(): Page {
    if (this.current === undefined) throw new Error('the browser has no page yet');
    return this.current;
  }

  /** Makes requests look as if a proxy had handed them on from this address. */
  comesFrom(address: string): void {
    this.address = address;
  }

  /** Sends this Accept-Language; none by default. */
  reads(language: string): void {
    this.language = language;
  }

  /** Goes back to a page that is still open in another tab. */
  show(page: Page): void {
    this.current = page;
  }

  /**
   * Another browser with the same cookies, as somebody has it who stole them; or this one, as it comes to another
   * process of the same service.
   */
  copy(baseUrl?: string): TestBrowser {
    const copy = new TestBrowser(baseUrl ?? this.origin, baseUrl ?? this.reachedAt);
    for (const [key, cookie] of this.cookies) copy.cookies.set(key, cookie);
    return copy;
  }

  /** Does `action`, but stays where it is redirected; returns the address that it would have gone to. */
  async redirectOf(action: () => Promise<Page>): Promise<string> {
    this.followsRedirects = false;
    try {
      return (await action()).headers.get('location') ?? '';
    } finally {
      this.followsRedirects = true;
    }
  }

  /** The address of another origin to which `action` redirects the browser at its end. */
  async leaving(action: Promise<Page>): Promise<URL> {
    try {
      await action;
    } catch (error) {
      if (error instanceof LeftService && this.left !== undefined) return this.left;
      throw error;
    }
    throw new Error(`the browser stayed, on the page with the text: ${this.page.text}`);
  }

  open(url: string): Promise<Page> {
    return this.request(new URL(url, this.origin), { method: 'GET' });
  }

  /**
   * Fills in the first form that has a button with this label and presses it. Fields that are left
   * empty are not sent when they are boxes to tick.
   */
  async submit(label: string, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const { forms, url, text } = this.page;
    const labelled = (candidate: { label: string }): boolean => candidate.label === label;
    const form = forms.find(({ buttons }) => buttons.some(labelled));
    const button = form?.buttons.find(labelled);
    if (form === undefined || button === undefined) {
      throw new Error(`no button "${label}" on the page with the text: ${text}`);
    }
    for (const name of Object.keys(values)) {
      if (!(name in form.fields)) throw new Error(`no field "${name}" in the form: ${text}`);
    }
    const body = new URLSearchParams({ ...form.fields, ...values });
    for (const name of ['workspace', 'kind', 'scope', 'confirm']) {
      if (body.get(name) === '') body.delete(name);
    }
    if (button.name !== '') body.set(button.name, button.value);
    const address = new URL(form.action, url);
    if (form.method === 'GET') {
      address.search = body.toString();
      return this.request(address, { method: 'GET' });
    }
    return this.request(address, { method: 'POST', body });
  }

  private async request(url: URL, init: RequestInit, redirects = 0): Promise<Page> {
    if (url.origin !== this.origin) {
      // The parameters that the app would receive.
      this.left = url;
      throw new LeftService(this.origin, url);
    }
    if (redirects > 10) throw new Error('too many redirects');
    const response = await fetch(new URL(url.pathname + url.search, this.reachedAt), {
      ...init,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: this.cookieHeader(url),
        ...(this.language !== undefined && { 'accept-language': this.language }),
        ...(this.address !== undefined && { 'x-forwarded-for': this.address }),
      },
    });
    this.keepCookies(response, url);
    const location = response.headers.get('location');
    const isRedirect = location !== null && response.status >= 300 && response.status < 400;
    if (isRedirect && this.followsRedirects) {
      return this.request(new URL(location, url), { method: 'GET' }, redirects + 1);
    }
    const markup = await response.text();
    this.current = {
      url: url.href,
      status: response.status,
      headers: response.headers,
      markup,
      text: textOf(markup),
      forms: formsOf(markup),
      form: formsOf(markup).find((form) => !isAside(form)),
    };
    return this.current;
  }

  /** The value of a cookie, or an empty string. */
  cookie(name: string): string {
    return [...this.cookies].find(([key]) => key.startsWith(`${name} `))?.[1].value ?? '';
  }

  /** The cookies of a sign-in, as the `Cookie` header of a request that is made by hand. */
  get sessionCookie(): string {
    const prefix = this.origin.startsWith('https:') ? '__Host-' : '';
    return ['cws_session', 'cws_session.sig']
      .map((name) => `${prefix}${name}=${this.cookie(prefix + name)}`)
      .join('; ');
  }

  /** Every cookie that it has, wherever it would be sent to, as a `Cookie` header. */
  get allCookies(): string {
    return [...this.cookies]
      .filter(([, { value }]) => value !== '')
      .map(([key, { value }]) => `${key.split(' ')[0] ?? ''}=${value}`)
      .join('; ');
  }

  /** The token of the forms on this page; empty where it has none. */
  get csrf(): string {
    return this.page.forms.find(({ fields }) => 'csrf' in fields)?.fields['csrf'] ?? '';
  }

  private cookieHeader(url: URL): string {
    return [...this.cookies]
      .filter(
        ([, { path }]) =>
          url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')),
      )
      .map(([key, { value }]) => `${key.split(' ')[0] ?? ''}=${value}`)
      .join('; ');
  }

  private keepCookies(response: Response, url: URL): void {
    for (const line of response.headers.getSetCookie()) {
      this.setCookies.push(line);
      const [pair = '', ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const attribute = (wanted: string): string | undefined =>
        attributes
          .find((text) => text.toLowerCase().startsWith(`${wanted}=`))
          ?.slice(wanted.length + 1);
      const path = attribute('path') ?? url.pathname;
      const expires = attribute('expires');
      const key = `${name} ${path}`;
      if (expires !== undefined && Date.parse(expires) <= Date.now()) this.cookies.delete(key);
      else this.cookies.set(key, { value: pair.slice(pair.indexOf('=') + 1), path });
    }
  }
}

class LeftService extends Error {
  constructor(origin: string, url: URL) {
    super(`refused to leave ${origin} for ${url.origin}`);
  }
}

/** Enters a user code, signs in unless the browser is signed in already, and presses Allow. */
export async function approveDevice(
  baseUrl: string,
  userCode: string,
  signIn: SignIn,
  browser = new TestBrowser(baseUrl),
): Promise<Page> {
  return decide(browser, userCode, signIn, 'Allow');
}

/** Like {@link approveDevice}, but presses Deny. */
export async function denyDevice(
  baseUrl: string,
  userCode: string,
  signIn: SignIn,
  browser = new TestBrowser(baseUrl),
): Promise<Page> {
  return decide(browser, userCode, signIn, 'Deny');
}

async function decide(
  browser: TestBrowser,
  userCode: string,
  { username, password }: SignIn,
  decision: 'Allow' | 'Deny',
): Promise<Page> {
  // As the app opens it: typed, the code of an app that can show numbers would need one.
  await browser.open(`/oauth/device?user_code=${encodeURIComponent(userCode)}`);
  const next = await browser.submit('Continue');
  if (next.form !== undefined && 'password' in next.form.fields) {
    await browser.submit('Sign in', { username, password });
  }
  return browser.submit(decision);
}

/** Whether a form is not the page's main form: sign-out or language. */
function isAside({ action, buttons }: PageForm): boolean {
  return /\/(sign-out|language)$/.test(action) || buttons.every(({ value }) => value === 'switch');
}

function formsOf(markup: string): PageForm[] {
  return [...markup.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(
    ([, formTag = '', content = '']) => ({
      action: attributeOf(formTag, 'action'),
      method: attributeOf(formTag, 'method') === 'get' ? 'GET' : 'POST',
      fields: fieldsOf(content),
      buttons: [...content.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/g)].map(
        ([, tag = '', label = '']) => ({
          label: textOf(label),
          name: attributeOf(tag, 'name'),
          value: attributeOf(tag, 'value'),
        }),
      ),
    }),
  );
}

function fieldsOf(content: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, tag = ''] of content.matchAll(/<input\b([^>]*)>/g)) {
    const name = attributeOf(tag, 'name');
    const isBox = /^(radio|checkbox)$/.test(attributeOf(tag, 'type'));
    if (isBox && !/\schecked\b/.test(tag)) fields[name] ??= '';
    else if (name !== '') fields[name] = attributeOf(tag, 'value');
  }
  for (const [, tag = '', text = ''] of content.matchAll(
    /<textarea\b([^>]*)>([\s\S]*?)<\/textarea\s*>/g,
  )) {
    fields[attributeOf(tag, 'name')] = decode(text).replace(/^\n/, '');
  }
  for (const [, tag = '', options = ''] of content.matchAll(
    /<select\b([^>]*)>([\s\S]*?)<\/select>/g,
  )) {
    const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => option);
    const chosen = all.find((option) => /\sselected\b/.test(option)) ?? all[0] ?? '';
    fields[attributeOf(tag, 'name')] = attributeOf(chosen, 'value');
  }
  return fields;
}

function attributeOf(tag: string, name: string): string {
  return decode(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function textOf(markup: string): string {
  const body = markup
    .replace(/<(style|title|svg)\b[\s\S]*?<\/\1\s*>/g, ' ')
    .replace(/<\/?bdi\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ');
  return decode(body).replace(/\s+/g, ' ').trim();
}

function decode(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
}
