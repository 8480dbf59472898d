/**
 * The core of tus-js-client, without its wiring for browsers and Node (which needs globals the host
 * lacks). Its types come from the package's public ones, narrowed to the used members.
 * @packageDocumentation
 */

declare module 'tus-js-client/lib/upload.js' {
  export interface TusRequest {
    getMethod(): string;
    getURL(): string;
    setHeader(name: string, value: string): void;
    getHeader(name: string): string | undefined;
    setProgressHandler(handler: (bytesSent: number) => void): void;
    send(body: unknown): Promise<TusResponse>;
    abort(): Promise<void>;
    getUnderlyingObject(): unknown;
  }
  export interface TusResponse {
    getStatus(): number;
    getHeader(name: string): string | undefined;
    getBody(): string;
    getUnderlyingObject(): unknown;
  }
  export interface TusSource<Chunk> {
    readonly size: number;
    slice(start: number, end: number): Promise<{ readonly value: Chunk; readonly done: boolean }>;
    close(): void;
  }
  export interface TusOptions<Chunk> {
    endpoint: string;
    uploadUrl: string | null;
    metadata: Readonly<Record<string, string>>;
    headers: Readonly<Record<string, string>>;
    chunkSize: number;
    uploadDataDuringCreation: boolean;
    retryDelays: null;
    parallelUploads: 1;
    storeFingerprintForResuming: false;
    removeFingerprintOnSuccess: false;
    protocol: 'tus-v1';
    fingerprint: () => Promise<null>;
    fileReader: { openFile(input: unknown, chunkSize: number): Promise<TusSource<Chunk>> };
    httpStack: { createRequest(method: string, url: string): TusRequest; getName(): string };
    onChunkComplete: (chunkSize: number, bytesAccepted: number, bytesTotal: number) => void;
    onSuccess: (payload: { readonly lastResponse: TusResponse }) => void;
    onError: (error: Error & { readonly causingError?: Error | null }) => void;
  }
  export default class BaseUpload<Chunk> {
    readonly url: string | null;
    constructor(file: unknown, options: TusOptions<Chunk>);
    start(): void;
    abort(shouldTerminate?: boolean): Promise<void>;
  }
}
