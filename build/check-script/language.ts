/** The global names of the language itself, as of ES2020, the edition that the bundle is compiled to. */
export const language = new Set(
  (
    'Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp ' +
    'Error EvalError RangeError ReferenceError SyntaxError TypeError URIError JSON Math Map Set WeakMap WeakSet BigInt ' +
    'Proxy Reflect ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array ' +
    'Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array decodeURI decodeURIComponent encodeURI ' +
    'encodeURIComponent escape unescape isFinite isNaN globalThis eval'
  ).split(' '),
);
