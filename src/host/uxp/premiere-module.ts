import type {
  Action,
  ClipProjectItem,
  ClipProjectItemStatic,
  EncoderManager,
  EncoderManagerStatic,
  ExporterStatic,
  FolderItemStatic,
  Marker,
  Markers,
  MarkerStatic,
  MetadataStatic,
  Project,
  ProjectItem,
  ProjectItemStatic,
  Sequence,
  TickTimeStatic,
} from '@adobe/premierepro';

/**
 * `require('premierepro')`, in Premiere only: the parts that are used, taken from `@adobe/premierepro`. What differs from
 * the package is written here.
 */
export interface PremiereModule {
  readonly Project: {
    /** Without a project: nothing, or a rejection; neither the package nor its page documents it. */
    getActiveProject(): Promise<PremiereProject | null | undefined>;
  };
  readonly Exporter: {
    /**
     * The package calls `filename` the "filename to be exported" and `filepath` the "directory to be exported". Its
     * example for `filename` is a whole path, but all working reports give the bare name.
     */
    exportSequenceFrame(
      sequence: PremiereSequence,
      ...frame: AfterFirst<Parameters<ExporterStatic['exportSequenceFrame']>>
    ): ReturnType<ExporterStatic['exportSequenceFrame']>;
  };
  readonly EncoderManager: {
    /**
     * In practice the promise settles when the export has ended. It is undocumented how a cancelled one ends; no event
     * comes for `IMMEDIATELY`.
     */
    getManager(): {
      exportSequence(
        sequence: PremiereSequence,
        ...export_: Required<AfterFirst<Parameters<ExportSequence>>>
      ): ReturnType<ExportSequence>;
    };
    getExportFileExtension(
      sequence: PremiereSequence,
      presetPath: string,
    ): ReturnType<EncoderManagerStatic['getExportFileExtension']>;
  };
  readonly Markers: {
    getMarkers(owner: PremiereSequence | ClipProjectItem): Promise<PremiereMarkers>;
  };
  readonly Marker: Pick<MarkerStatic, 'MARKER_TYPE_COMMENT'>;
  readonly TickTime: Pick<TickTimeStatic, 'createWithTicks'>;
  readonly ProjectItem: Pick<ProjectItemStatic, 'cast' | 'TYPE_BIN'>;
  readonly FolderItem: Pick<FolderItemStatic, 'cast'>;
  readonly ClipProjectItem: Pick<ClipProjectItemStatic, 'cast'>;
  readonly Metadata: Pick<
    MetadataStatic,
    | 'getProjectMetadata'
    | 'createSetProjectMetadataAction'
    | 'addPropertyToProjectMetadataSchema'
    | 'METADATA_TYPE_TEXT'
  >;
  readonly Constants: {
    readonly ExportType: { readonly IMMEDIATELY: Parameters<ExportSequence>[1] };
  };
}

/** The part for exports. */
export type PremiereExportModule = Pick<
  PremiereModule,
  'Project' | 'Exporter' | 'EncoderManager' | 'Constants'
>;

type ExportSequence = EncoderManager['exportSequence'];

/**
 * Since 26.3 every action is created inside `lockedAccess`, and becomes one step of the undo history in `executeTransaction`.
 * The package does not say what an exception in a callback does.
 */
export interface PremiereProject extends Readonly<
  Pick<
    Project,
    'lockedAccess' | 'executeTransaction' | 'getRootItem' | 'getInsertionBin' | 'importFiles'
  >
> {
  /** Nothing in a project without an open sequence. */
  getActiveSequence(): Promise<PremiereSequence | null | undefined>;
}

/** A clip, a bin or a sequence in a project. */
export type PremiereItem = ProjectItem;

export type PremiereAction = Action;

export interface PremiereMarkers extends Pick<
  Markers,
  'createAddMarkerAction' | 'createRemoveMarkerAction'
> {
  getMarkers(): readonly PremiereMarker[];
}

/** `guid` exists since 26.3 (ppro-reference/classes/marker). */
export type PremiereMarker = Marker;

export type PremiereSequence = Readonly<
  Pick<
    Sequence,
    | 'guid'
    | 'name'
    | 'getPlayerPosition'
    | 'setPlayerPosition'
    | 'getTimebase'
    | 'getFrameSize'
    | 'getInPoint'
    | 'getOutPoint'
    | 'getEndTime'
  >
>;

type AfterFirst<List extends readonly unknown[]> = List extends [unknown, ...infer Rest]
  ? Rest
  : never;
