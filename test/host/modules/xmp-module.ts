/**
 * `require('uxp').xmp`, as far as properties of separate namespaces are read and written (XMPMeta page). A packet is a text
 * with one description for each such namespace.
 */
import type { Realm } from './realm.js';
import { strict } from './strict.js';

const DESCRIPTION =
  /<rdf:Description rdf:about="" xmlns:(\w+)="([^"]*)"><\1:(\w+)>([^<]*)<\/\1:\3><\/rdf:Description>/g;

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function plain(text: string): string {
  return text.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
}

export function createXmpModule({ Error: RealmError }: Realm): object {
  const prefixes = new Map<string, string>();

  class XMPMeta {
    readonly #packet: string;
    /** Values by namespace and name. */
    readonly #values = new Map<string, string>();

    constructor(packet: string) {
      if (typeof packet !== 'string' || !packet.includes('</rdf:RDF>'))
        throw new RealmError('XMP Exception: not a packet');
      for (const [, prefix = '', namespace = '', name = '', value = ''] of packet.matchAll(
        DESCRIPTION,
      )) {
        prefixes.set(namespace, prefix);
        this.#values.set(`${namespace} ${name}`, plain(value));
      }
      this.#packet = packet.replace(DESCRIPTION, '');
    }

    static registerNamespace(namespace: unknown, prefix: unknown): string {
      if (typeof namespace !== 'string' || !/[/#]$/.test(namespace) || typeof prefix !== 'string')
        throw new RealmError('XMP Exception: not a namespace');
      prefixes.set(namespace, prefix);
      return prefix;
    }

    getProperty(namespace: string, name: string): object | undefined {
      const value = this.#values.get(`${namespace} ${name}`);
      return value === undefined ? undefined : { namespace, path: name, value, options: 0 };
    }

    setProperty(namespace: string, name: string, value: unknown): void {
      if (!prefixes.has(namespace)) throw new RealmError('XMP Exception: Unregistered schema');
      if (typeof value !== 'string') throw new RealmError('XMP Exception: not a text');
      this.#values.set(`${namespace} ${name}`, value);
    }

    serialize(): string {
      const descriptions = [...this.#values].map(([key, value]) => {
        const [namespace = '', name = ''] = key.split(' ');
        const prefix = prefixes.get(namespace) ?? '';
        const property = `<${prefix}:${name}>${escaped(value)}</${prefix}:${name}>`;
        return `<rdf:Description rdf:about="" xmlns:${prefix}="${namespace}">${property}</rdf:Description>`;
      });
      return this.#packet.replace('</rdf:RDF>', () => `${descriptions.join('')}</rdf:RDF>`);
    }
  }
  return strict('xmp', { XMPMeta }, RealmError);
}
