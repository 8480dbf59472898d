/** What was delivered: uploads, photos with versions and previews, projects, feedback of guests. Other modules import from this file only. */
export { library } from './module.js';
export { startLibrary, type Library } from './start.js';
export { ContentAddresses, type ContentGrant, type Recipient } from './content/content-urls.js';
export { redirectToContent } from './content/redirect-to-content.js';
export { DeviceTable, type StoredReport } from './devices/device-table.js';
export { waitingPhotos } from './devices/waiting-photos.js';
export {
  commentButtons,
  commentHead,
  commentsByPage,
  decisionLine,
  pinsOver,
  replyOf,
  timeLine,
} from './feedback/feedback-list.js';
export { FeedbackTable, type ShareFilter, type NotAdded } from './feedback/feedback-table.js';
export { feedbackOnBytes } from './feedback/photo-feedback.js';
export {
  hasUnmailedReplies,
  skipReplies,
  takeUnmailedFeedback,
  takeUnmailedReplies,
  unmailedPhotos,
  type GuestCounts,
  type MailedReply,
} from './feedback/unmailed-feedback.js';
export { expireGuests, GUEST_DAYS } from './feedback/guest-expiry.js';
export { presentFeedback } from './feedback/present-feedback.js';
export {
  GuestAddresses,
  MAX_REVIEWERS,
  setReviewers,
  type NewReviewer,
  type Reviewer,
} from './feedback/guest-addresses.js';
export {
  GuestTable,
  MAX_KNOWN_GUESTS,
  permitAnswer,
  removalEnd,
  type ListedGuest,
  type Removal,
} from './feedback/guest-table.js';
export {
  MAX_COMMENT,
  MAX_GUEST_NAME,
  commentOf,
  guestNameOf,
  type AnswerKind,
  type Comment,
  type Decision,
  type Feedback,
  type FeedbackChange,
  type Guest,
  type GuestMarks,
  type Listed,
  type RecordChange,
  type SignedFeedback,
} from './feedback/feedback.js';
export { MARKER_FORMAT_NAMES } from './feedback/markers/marker-files.js';
export { isTimed } from './feedback/markers/markers.js';
export { pageIn, parsePlace, placeLabel, presentPlace, timeIn } from './feedback/place.js';
export { UploadApiRepository } from './photos/api/upload-api-repository.js';
export { formatPlace, parseCursor } from './photos/data/photo-query.js';
export { PhotoTable, type ListedPhoto, type Page } from './photos/data/photo-table.js';
export { placeOf } from './photos/data/photo-order.js';
export { type PhotoFilter } from './photos/data/photo-filter.js';
export { type ShownPhoto } from './photos/data/photo-thumbnails.js';
export type { Photo } from './photos/data/photo.js';
export {
  permissionOf,
  sendPhotoWhilePermitted,
  type Permission,
  type RecheckDeps,
} from './photos/files/download-permission.js';
export { refuseDownload } from './photos/files/download.js';
export { drawnPageIn, showPage, variantIn, type PageDeps } from './photos/files/page-picture.js';
export {
  isOfVersion,
  showPicture,
  showWatermarked,
  type GuestPictureDeps,
} from './photos/files/picture.js';
export { showFrames } from './photos/files/frames-picture.js';
export { isForPage, playedAs } from './photos/files/play.js';
export { disposition, sendFile, setFileHeaders } from './photos/files/send-file.js';
export { MAX_IN_ZIP, type ZipNote } from './photos/files/zip-plan.js';
export {
  describeZip,
  fileNameOf,
  sendZip,
  type ZipUnavailable,
  type SendZipDeps,
} from './photos/files/zip.js';
export { chosenForShare } from './photos/pages/chosen-for-share.js';
export { listData } from './photos/pages/gallery.js';
export {
  pageImage,
  pageMarks,
  pageStrip,
  shownPage,
  type PagedPhoto,
} from './photos/pages/page-strip.js';
export { isVideo, player } from './photos/pages/player.js';
export { mediaBadge } from './photos/pages/media-badge.js';
export { photoErrorPage, photoNotFoundPage } from './photos/pages/not-found-page.js';
export { photosOfList } from './photos/pages/photos-of-list.js';
export {
  pictureImage,
  previewMissing,
  type PictureAddresses,
} from './photos/pages/picture-image.js';
export { SELECTION_BODY_BYTES } from './photos/pages/selection.js';
export { tileAttributes } from './photos/pages/tile-attributes.js';
export { viewerTemplate } from './photos/pages/viewer-template.js';
export { PICTURE_TYPE, type Logo } from './previews/image-info.js';
export { ImageWorker } from './previews/image-worker.js';
export { StoredLocations } from './previews/stored-locations.js';
export { storedPictures, type StoredPicture } from './previews/stored-pictures.js';
export { readThumbnail } from './previews/thumbnail-table.js';
export { ThumbnailWorker } from './previews/thumbnail-worker.js';
export { Watermarks, watermarkTag } from './previews/watermarks.js';
export { ProjectTable } from './projects/project-table.js';
export {
  countUploads,
  fileProblem,
  finishedUploads,
  removeCopiesOfDeleted,
  type FilesToCopy,
} from './uploads/copied-uploads.js';
export type { UploadLimits } from './uploads/limits.js';
export { UploadRepository } from './uploads/repository/upload-repository.js';
export { uploadsById } from './uploads/repository/upload-row.js';
export { StorageRefusedError } from './uploads/storage/s3-errors.js';
export { directOrigin } from './uploads/storage/s3-options.js';
export { openFilesToCopy, openStorage } from './uploads/storage/open-storage.js';
export type { S3Options } from './uploads/storage/s3-options.js';
export type { UploadStorage } from './uploads/storage/upload-storage.js';
export type { StoredUpload } from './uploads/upload.js';
export { countUploadsOf, hasBytesOf, removeUploadsOf } from './uploads/uploads-of-account.js';
export { aboutChange, FEEDBACK_EVENTS, FEEDBACK_KIND } from './feedback/events.js';
export {
  labelName,
  LABELS,
  LabelTable,
  MAX_LABEL_NAME,
  type LabelNames,
} from './feedback/labels.js';
export { UPLOAD_KIND } from './uploads/events.js';
