import { JSDOM } from 'jsdom';

/** A user at a browser without scripts, for pages of any make: cookies, forms, redirects. */
export class TestUser {
  private readonly cookies = new Map<string, string>();
  private page = new JSDOM('');

  /** The text of the page. */
  get text(): string {
    return this.page.window.document.body.textContent.replace(/\s+/g, ' ');
  }

  open(url: string): Promise<void> {
    return this.go(url, { method: 'GET' });
  }

  /** Fills in fields and presses the button with this label. */
  async press(label: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    const { document } = this.page.window;
    const button = [...document.querySelectorAll('button')].find(
      (candidate) => candidate.textContent.trim() === label,
    );
    const form = button?.form;
    if (!button || !form) throw new Error(`no button "${label}" on the page: ${this.text}`);
    const body = new URLSearchParams();
    for (const input of form.querySelectorAll('input')) body.set(input.name, input.value);
    for (const [name, value] of Object.entries(fields)) {
      if (!body.has(name)) throw new Error(`no field "${name}" on the page: ${this.text}`);
      body.set(name, value);
    }
    if (button.name !== '') body.set(button.name, button.value);
    await this.go(form.action, { method: 'POST', body });
  }

  private async go(url: string, init: RequestInit): Promise<void> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      this.cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    if (location !== null) {
      await response.arrayBuffer();
      await this.go(new URL(location, url).href, { method: 'GET' });
      return;
    }
    this.page = new JSDOM(await response.text(), { url });
  }
}
