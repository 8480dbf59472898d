import type { Strings } from './strings.js';

const photos = (count: number): string => (count === 1 ? '1 photo' : `${count} photos`);

export const en: Strings = {
  connect: 'Connect',
  copyCode: 'Copy code',
  copied: 'Copied',
  openBrowser: 'Open browser',
  getNewCode: 'Get a new code',
  cancel: 'Cancel',
  addPhotos: 'Add photos',
  pause: 'Pause',
  resume: 'Resume',
  pauseOrResume: 'Pause or resume',
  retry: 'Retry',
  retryAll: 'Retry',
  remove: 'Remove',
  disconnect: 'Disconnect',
  reconnect: 'Reconnect',
  dismiss: 'Dismiss',

  starting: 'Starting…',
  welcomeTitle: 'Send photos to your workspace',
  welcomeText: 'Connect once. Then every photo you add here goes to your workspace by itself.',
  requestingCode: 'Getting a code…',
  codeTitle: 'Your code',
  codeSteps:
    'Your browser opens a page. Check that it shows this code, or enter the code there, then sign in and choose Allow.',
  codeAddress: 'If no page opened, go to this address in any browser:',
  waitingForApproval: 'Waiting for you to choose Allow in the browser.',
  codeTimeLeft: (minutes) =>
    minutes <= 1
      ? 'The code is good for less than a minute.'
      : `The code is good for ${minutes} more minutes.`,
  connected: 'Connected',
  noPhotos: 'No photos are waiting. Choose Add photos to send some.',
  reconnectTitle: 'Please reconnect',
  photosWaitingForReconnect: (count) =>
    `${photos(count)} ${count === 1 ? 'is' : 'are'} safe here and will be sent as soon as you are connected.`,
  paused: 'Paused. Nothing is sent until you choose Resume.',
  tryingAgainIn: (seconds) =>
    seconds <= 1 ? 'Trying again now.' : `Trying again in ${seconds} seconds.`,
  adding: (done, total) => `Adding photo ${Math.min(done + 1, total)} of ${total}…`,
  progress: (uploaded, total) => `${uploaded} of ${photos(total)} uploaded`,
  allUploaded: (count) =>
    count === 1 ? 'Your photo has arrived.' : `All ${count} photos have arrived.`,
  failedCount: (count) => `${photos(count)} could not be sent.`,
  morePhotos: (count) => `and ${photos(count)} more`,
  notQueued: (name) => `${name} was not added.`,
  photoWaiting: 'Waiting',
  photoUploading: (percent) => `Uploading, ${percent} %`,
  photoUploaded: 'Uploaded',
  photoFailed: 'Not sent',
  size: (bytes) => {
    if (bytes < 1000) return `${bytes} B`;
    if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
    if (bytes < 999_950_000) return `${(bytes / 1e6).toFixed(1)} MB`;
    return `${(bytes / 1e9).toFixed(1)} GB`;
  },

  errors: {
    'CW-101': 'The service did not start the sign-in. Try again; if it stays so, ask support.',
    'CW-102': 'The code has expired. Get a new one and enter it within its time.',
    'CW-103': 'The sign-in was denied in the browser. If that was a mistake, get a new code.',
    'CW-104':
      'The service named a sign-in page that is not its own, so it was not opened. Ask support.',
    'CW-105': 'The browser was not opened. Copy the address below into your browser.',
    'CW-106': 'The service no longer accepts this code. Get a new one.',
    'CW-201': 'This plugin is not connected. Choose Connect.',
    'CW-202': 'The connection to your account has ended. Reconnect to go on; your photos are kept.',
    'CW-203': 'Your account may not do this. Ask the owner of the workspace.',
    'CW-301':
      'The service cannot be reached. Check the internet connection; the plugin keeps trying.',
    'CW-302': 'The service stopped answering. The plugin keeps trying.',
    'CW-303': 'The service is busy. The plugin keeps trying.',
    'CW-304':
      'An answer came from the wrong place and was not trusted. Check the network, then ask support.',
    'CW-305':
      'The service answered in a way the plugin does not understand. Try again; if it stays so, ask support.',
    'CW-601': 'The file is empty. Export it again and add it once more.',
    'CW-602': 'The file could not be read. Check that it is still there, and add it again.',
    'CW-603': 'The service refused this photo. Ask support.',
    'CW-604': 'This photo is larger than the workspace accepts.',
    'CW-605': 'The workspace does not accept this kind of file.',
    'CW-606': 'The workspace is full. Make room there, then choose Retry.',
    'CW-607': 'The copy kept for sending is damaged. Remove it and add the photo again.',
    'CW-701':
      'This computer did not let the plugin keep its sign-in. Reconnect; if it stays so, restart the app.',
    'CW-702': 'This computer did not let the plugin keep its list of photos. Restart the app.',
    'CW-703': 'The disk is full. Make room and add the photo again.',
    'CW-704':
      'This panel was opened a second time, and the newer one does the work now. Close this one, or reload it to go on here.',
    'CW-801': 'The text could not be copied. Select it and copy it yourself.',
    'CW-802': 'The file window could not be opened. Try again.',
    'CW-803': 'No document is open. Open the one to upload, then try again.',
    'CW-804': 'This app cannot hand over its document. Save it as a file and choose Add photos.',
    'CW-805':
      'The app could not save a copy of the document. Close any open dialog or finish the current tool, then try again.',
    'CW-901': 'Something in the plugin went wrong. Try again; if it stays so, ask support.',
  },
};
