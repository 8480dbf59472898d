return {
  LrSdkVersion = 11.0,
  LrSdkMinimumVersion = 6.0,
  LrToolkitIdentifier = 'com.creativeworkspace.lightroom',
  LrPluginName = 'Creative Workspace',

  LrExportServiceProvider = {
    title = 'Creative Workspace',
    file = 'PublishService.lua',
  },
  LrMetadataProvider = 'MetadataDefinition.lua',
  LrLibraryMenuItems = {
    {
      title = LOC '$$$/CreativeWorkspace/getSelectsMenu=Get selects from Creative Workspace...',
      file = 'GetSelects.lua',
    },
  },

  -- `npm run release` replaces the version.
  VERSION = { major = 0, minor = 0, revision = 0 },
}
