import type { ErrorCode } from '../../base/errors.js';

/**
 * The words of one language, as plain data in a file of the package (such as `words/en.json`). A running plugin reads
 * the file it needs.
 */
export interface Catalogue {
  /** Which numbers take the form `one`: only 1, also 0, or none. */
  readonly one: 'one' | 'zero-and-one' | 'never';
  readonly plain: Readonly<Record<PlainKey, string>>;
  /** Sentences into which values are put as they are, such as a percentage: `{percent}`. */
  readonly filled: Readonly<Record<FilledKey, string>>;
  /** Sentences whose form depends on the number `{count}`. */
  readonly counted: Readonly<Record<CountedKey, Counted>>;
  /** How numbers are written. */
  readonly numbers: {
    readonly decimal: string;
    readonly group: string;
    /** Numbers with at least this many digits are grouped. */
    readonly groupFrom: number;
    readonly percent: string;
    readonly size: string;
    /** Units of 1, 1000, 1000² and 1000³ bytes. */
    readonly units: readonly string[];
  };
  /** A word for each letter from A to Z, as people use them on the phone, separated by spaces. */
  readonly alphabet: string;
  /** What happened, what the plugin does about it and what one can do, by error code. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
}

/** A sentence in the forms that depend on a number; `one` is left out where there is no such form. */
interface Counted {
  readonly one?: string;
  readonly other: string;
}

export type PlainKey =
  | 'connect'
  | 'copyCode'
  | 'copyAddress'
  | 'copied'
  | 'openBrowser'
  | 'getNewCode'
  | 'cancel'
  | 'addPhotos'
  | 'uploadDocument'
  | 'uploadPage'
  | 'uploadFrame'
  | 'pause'
  | 'resume'
  | 'retry'
  | 'sendAnyway'
  | 'remove'
  | 'removeAll'
  | 'clearArrived'
  | 'undo'
  | 'sendNext'
  | 'options'
  | 'close'
  | 'tryNow'
  | 'checkNow'
  | 'disconnect'
  | 'anotherAccount'
  | 'anotherText'
  | 'reconnect'
  | 'dismiss'
  | 'help'
  | 'copyDiagnostics'
  | 'showDiagnostics'
  | 'hideDiagnostics'
  | 'spellOut'
  | 'showQr'
  | 'sendThem'
  | 'removeThem'
  | 'tryAgain'
  | 'uploadFound'
  | 'unreadText'
  | 'starting'
  | 'welcomeTitle'
  | 'welcomeText'
  | 'reconnectTitle'
  | 'failedTitle'
  | 'deniedTitle'
  | 'expiredTitle'
  | 'requestingCode'
  | 'requestingText'
  | 'requestingLong'
  | 'codeTitle'
  | 'codeStepOpen'
  | 'codeStepSignIn'
  | 'codeStepAllow'
  | 'waitingForApproval'
  | 'checkAsked'
  | 'codeAlmostOver'
  | 'codeAddress'
  | 'codeQr'
  | 'codeSpelled'
  | 'connected'
  | 'approvedTitle'
  | 'approvedText'
  | 'noPhotos'
  | 'pausedTitle'
  | 'pausedText'
  | 'offlineTitle'
  | 'troubleTitle'
  | 'tryingAgainNow'
  | 'triedInVain'
  | 'storageTitle'
  | 'refusedTitle'
  | 'documentTitle'
  | 'pageTitle'
  | 'frameTitle'
  | 'questionTitle'
  | 'disconnectTitle'
  | 'disconnectText'
  | 'tooOldTitle'
  | 'fewSecondsLeft'
  | 'sentAgain'
  | 'photoWaiting'
  | 'photoUploaded'
  | 'photoFailed'
  | 'photoNoPicture'
  | 'photoOtherKind'
  | 'helpText'
  | 'keepsTrying'
  | 'codeKeepsTrying'
  | 'connectAgain'
  | 'browserTitle'
  | 'faultTitle'
  | 'twiceTitle'
  | 'hyphen'
  | 'deliveredText'
  | 'checked'
  | 'searchName'
  | 'noneFound'
  | 'copyList'
  | 'clearList'
  | 'showPhoto'
  | 'allPhotos'
  | 'copyLink'
  | 'skip'
  | 'sendAgain'
  | 'photoKnown'
  | 'receiptTitle'
  | 'receiptChecked'
  | 'receiptDigest';

export type FilledKey =
  | 'adding' // done, total
  | 'delivered' // count
  | 'bytesSent' // sent, total
  | 'speed' // size
  | 'photoUploading' // percent
  | 'photoWaitingAt' // percent
  | 'photoFailedWith' // code
  | 'format' // format
  | 'tooOld' // app, version
  | 'busyWith' // name
  | 'versions' // plugin, app, version
  | 'letter' // letter, word
  | 'digit' // digit
  | 'sign'; // sign

export type CountedKey =
  | 'codeMinutes'
  | 'photosSafe'
  | 'photosAsk'
  | 'progress' // and uploaded
  | 'allUploaded'
  | 'failedCount'
  | 'removeFailed'
  | 'removedCount'
  | 'notArrivedCount'
  | 'questionCount'
  | 'questionText'
  | 'foundCount'
  | 'foundText'
  | 'knownCount'
  | 'receiptCount'
  | 'secondsLeft'
  | 'minutesLeft'
  | 'hoursLeft'
  | 'tryingAgainSeconds'
  | 'tryingAgainMinutes';

/** Reads a text as a catalogue; null when it is none. Only its parts are checked: the file comes with the package. */
export function readCatalogue(text: string): Catalogue | null {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const isOne =
    typeof found === 'object' &&
    found !== null &&
    ['one', 'plain', 'filled', 'counted', 'numbers', 'alphabet', 'errors'].every(
      (part) => part in found,
    );
  return isOne ? (found as Catalogue) : null;
}
