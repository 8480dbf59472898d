/** Words about versions of a photo, and about how files are handed out. */
export const jaFiles = {
  versions: 'バージョン',
  versionsText:
    '{person}が送信した同じ名前の写真です。同じプロジェクトのもの、またはこの写真と同じくどのプロジェクトにも入っていないものが、新しい順に並びます。',
  versionCount: '{count}個のバージョン',
  newestVersion: 'これが最新のバージョンです。',
  newerVersion: '[新しいバージョン]があります。',
  versionSame: 'バイト単位で同一',
  versionDiffers: '内容が異なる',
  moreVersions: '[この名前の写真をすべて表示]',
  downloadAllZip: 'すべてZIPでダウンロード',
  downloadPageZip: 'このページをZIPでダウンロード',
  tooManyForZip:
    '一つのZIPに入る写真は{max}枚までですが、これより多くあります。ページごとにダウンロードするか、絞り込んでください。',
  addressEnded:
    'このダウンロード用アドレスは数分間だけ有効でした。写真のページに戻り、もう一度ダウンロードしてください。',
} as const;
