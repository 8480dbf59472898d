local Texts = require 'Texts'

return {
  metadataFieldsForPhotos = {
    -- Where the photo is at the service, for each published collection: `collection=photo/upload`, separated by spaces.
    { id = 'uploads' },
    {
      id = 'comments',
      title = Texts.get('commentsField'),
      dataType = 'string',
      readOnly = true,
      searchable = true,
      version = 1,
    },
  },
  schemaVersion = 1,
}
