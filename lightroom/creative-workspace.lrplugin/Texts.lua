--- All texts for people. The five other languages are in `TranslatedStrings_*.txt`. Codes of errors and their sentences
-- are those of the panel where it has them.
local Texts = {}

--- English, in the notation of the SDK: `^1` is a placeholder, `^}` an apostrophe, `^.` an ellipsis.
Texts.english = {
  connect = 'Connect',
  disconnect = 'Disconnect',
  connectTitle = 'Connect to Creative Workspace',
  enterCode = 'Enter this code in the browser:',
  openBrowser = 'Open browser',
  cancel = 'Cancel',
  waiting = 'Waiting for you to allow it in the browser.',
  numberTitle = 'Which number does the browser show?',
  noneOfThese = 'None of these',
  connectedAs = 'Connected as ^1, ^2',
  connected = 'Connected',
  notConnected = 'Not connected',
  account = 'Account',
  project = 'Project',
  collectionProject = 'Named after the collection',
  noProject = 'No project',
  uploading = 'Uploading to Creative Workspace',
  trashToo = 'Move files that I remove from a collection to the trash of the workspace',
  getSelects = 'Get selects',
  getSelectsMenu = 'Get selects from Creative Workspace...',
  selectsFrom = 'From',
  linkSource = 'Link: ^1 (^2)',
  projectSource = 'Project: ^1',
  replaceMine = 'Replace my ratings and labels',
  replaceMineHint = 'Otherwise ratings only rise, and photos with a label keep it.',
  nothingToGet = 'There is no link and no project yet.',
  summaryTitle = 'Selects: ^1 of ^2 photos found',
  summaryChanged = 'Changed: ^1',
  summaryKept = 'Rating or label of yours kept: ^1',
  summaryMissing = 'Not in this catalog: ^1',
  summaryAmbiguous = 'Several photos have this name: ^1',
  andMore = '^1 and ^2 more',
  commentsField = 'Comments of clients',
  setName = 'Creative Workspace',
  collectionName = '^1, ^2',
  error101 = 'The service did not start the sign-in. Try again; if it keeps happening, contact support.',
  error102 = 'The code was not used in time. Nothing is lost: get a new one and enter it soon.',
  error103 = 'Someone chose Deny in the browser, or the account has no workspace yet. To try again, get a new code.',
  error104 = 'The service returned a sign-in page of another site, so the plugin did not open it. Contact support.',
  error105 = 'The browser was not opened. Copy the address below into your browser.',
  error106 = 'The service no longer accepts this code. Get a new one.',
  error107 = 'The number chosen here is not the one in the browser, so nothing was connected. To try again, get a new code.',
  error108 = 'This connection is not allowed. The page in the browser gives the reason.',
  error201 = 'This plugin is not connected. Choose Connect.',
  error202 = 'The connection to your account has ended. Your files are kept; reconnect to upload them.',
  error203 = 'Your account is not allowed to do this. Ask an owner of the workspace.',
  error301 = 'The service cannot be reached. Check the internet connection.',
  error302 = 'The service stopped responding. This usually resolves itself.',
  error303 = 'The service is busy. This usually resolves itself.',
  error304 = 'A response came from the wrong place and was rejected. Check your network, then contact support.',
  error305 = 'The plugin does not understand the service^}s response. Try again; if it keeps happening, contact support.',
  error306 = 'The file was damaged on the way. Publish it again; if it keeps happening, contact support.',
  error602 = 'The file could not be read. Publish the photo again.',
  error603 = 'The service rejected this file. Contact support.',
  error604 = 'The file is larger than the workspace accepts. Choose a smaller size.',
  error605 = 'The workspace does not accept this kind of file. Choose JPEG.',
  error606 = 'The workspace is full. The remaining photos were not uploaded. Free up space there, then publish again.',
  error612 = 'The project no longer exists. Choose another one in the settings.',
  error613 = 'The project was not created. Choose another name.',
  error620 = 'The service is out of space. The remaining photos were not uploaded. Only its operator can make room; then publish again.',
  error701 = 'The sign-in couldn^}t be saved on this computer. Reconnect; if it keeps happening, restart the app.',
  error901 = 'Something went wrong in the plugin. Try again; if it keeps happening, contact support.',
}

--- The text with this key in the language of Lightroom. Further arguments replace `^1`, `^2`.
function Texts.get(key, ...)
  local english = Texts.english[key] or error('no text ' .. key)
  return LOC('$$$/CreativeWorkspace/' .. key .. '=' .. english, ...)
end

--- The sentence about an error, with its code for support.
function Texts.problem(problem)
  local key = 'error' .. string.sub(problem.code, 4)
  return Texts.get(Texts.english[key] and key or 'error901') .. ' (' .. problem.code .. ')'
end

return Texts
