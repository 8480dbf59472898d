import type { VNode } from 'preact';
import { Button, FileName, SheetHead } from '../../ui/controls.js';
import { lengthText } from '../../ui/file-length.js';
import type { Translations } from '../../ui/i18n/translations.js';
import { PlacingFolder, PlacingLine } from '../placing/index.js';
import { useUploadPreview } from '../pictures/index.js';
import type { LibraryFile } from './library-file.js';
import type { Props } from './panel.js';
import { OpenButton, PlaceButton, PlaceWebButton } from './place-buttons.js';
import { ShapedPicture } from './shaped-picture.js';

/** The largest side of a small picture of the service, in CSS pixels. */
const SMALL_PX = 240;
/** The largest picture that is loaded for a wide panel, and from which width on it is. The buttons stay in view. CSS pixels. */
const LARGEST = { width: 640, height: 320 };
const WIDE_PX = 276;

/** All about one file, with what can be done with it. */
export function FileDetails({
  context,
  state,
  file,
  width,
  back,
}: Props & {
  readonly file: LibraryFile;
  /** Of the view, in CSS pixels. */
  readonly width: number;
  readonly back: () => void;
}): VNode {
  const { strings, actions, on } = context;
  const preview = useUploadPreview(context, width >= WIDE_PX ? file.id : null);
  const isLarge = preview.isComing || preview.url !== null;
  // It has its size before it comes, so that nothing moves then.
  const side = Math.min(width, isLarge ? LARGEST.width : SMALL_PX);
  return (
    <>
      <SheetHead on={on} title={strings.details} label={strings.back} press={back} />
      <div class="file-picture">
        <ShapedPicture
          {...{ context, file }}
          frame={{ width: side, height: Math.min(side, LARGEST.height) }}
          large={preview.url}
        />
      </div>
      <FileName name={file.name} class="file-title" />
      <PlacingLine {...{ context, state }} />
      <PlaceButton {...{ context, state, file }} kind="cta" />
      <PlaceWebButton {...{ context, state, file }} />
      <OpenButton {...{ context, state, file }} />
      <Button
        on={on}
        wide
        focusOrder={3}
        label={strings.showPhoto}
        press={() => actions.openPage(file.pageUrl)}
      />
      <PlacingFolder {...{ context, state }} />
      <div class="facts">
        {factsOf(strings, file).map(([name, value]) => (
          <div key={name} class="fact">
            <div class="fact-name">{name}</div>
            <div class="fact-value">{value}</div>
          </div>
        ))}
      </div>
    </>
  );
}

/** What is known of the file: names and values. */
function factsOf(strings: Translations, file: LibraryFile): readonly (readonly [string, string])[] {
  const { size, width, height, length, version, project, sender, approval, comments } = file;
  const { capturedAt, uploadedAt } = file;
  // Short subject: a name has 300 characters at most.
  const [, suffix = ''] = /\.([a-z0-9]{1,8})$/i.exec(file.name) ?? [];
  const measures = [
    ...(width !== null && height !== null ? [`${width} × ${height}`] : []),
    ...(length ? [lengthText(strings, length)] : []),
    strings.size(size),
  ];
  const approved = approval && [
    strings.fill('approvedVersion', { version: String(approval.version) }),
    ...(approval.by === null ? [] : [approval.by]),
  ];
  return [
    [strings.fileSize, measures.join(' · ')],
    ...(suffix === '' ? [] : [[strings.fileType, suffix.toUpperCase()] as const]),
    ...(version === null ? [] : [[strings.fileVersion, `v${version}`] as const]),
    ...(approved ? [[strings.approval, approved.join(' · ')] as const] : []),
    ...(comments > 0
      ? [[strings.clientComments, strings.count('commentCount', comments)] as const]
      : []),
    ...(project ? [[strings.project, project.name] as const] : []),
    ...(sender === null ? [] : [[strings.uploadedBy, sender] as const]),
    ...(capturedAt === null ? [] : [[strings.captured, strings.date(capturedAt)] as const]),
    ...(uploadedAt === null ? [] : [[strings.photoUploaded, strings.date(uploadedAt)] as const]),
  ];
}
