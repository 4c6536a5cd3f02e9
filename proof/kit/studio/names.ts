/** Names, prompts and notes of an installation with 120 customers, for screenshots. */

export const customerNames: readonly string[] = [
  ...['Harbor & Pine', 'Kestrel Motion', 'Oddfellow Studio', 'Blue Hour Films', 'Tandem Creative'],
  ...['Marigold Media', 'Northbound Pictures', 'Saltwater Agency', 'Paper Lantern', 'Quarry Post'],
  ...['Lumen & Co', 'Fieldnote Films', 'Copper Kettle Media', 'Ostrich Animation', 'Verve Social'],
  ...['Bright Anchor', 'Hinterland Productions', 'Moss & Stone', 'Pixel Orchard', 'Riverbend TV'],
  ...['Signal Hill', 'Atelier Roux', 'Cinder Block', 'Daybreak Learning', 'Eastgate Retail'],
  ...['Fable & Forge', 'Glasshouse Ads', 'Highline Travel', 'Ivory Coast Foods', 'Jetty Sports'],
  ...['Kindling Games', 'Larkspur Beauty', 'Magpie Interiors', 'Nomad Camping', 'Open Road Motors'],
  ...['Plum District', 'Quiet Corner Books', 'Redwood Realty', 'Sundial Fitness', 'Thistle & Oak'],
  ...['Umbra Visuals', 'Velvet Rope Events', 'Wanderlight', 'Xylo Music', 'Yarrow Health'],
  ...['Zenith Outdoors', 'Acorn Kids', 'Bellwether News', 'Cobalt Labs', 'Dovetail Furniture'],
  ...['Echo Park Studio', 'Foxglove Florals', 'Granite Peak', 'Halcyon Hotels', 'Inkwell Press'],
  ...[
    'Juniper Skincare',
    'Kite & Compass',
    'Lighthouse Learning',
    'Meridian Maps',
    'Nightjar Audio',
  ],
  ...['Orchard Lane', 'Peregrine Air', 'Quill Advertising', 'Roam Bikes', 'Sable Fashion'],
  ...['Tidepool Aquariums', 'Upland Coffee', 'Vista Architects', 'Wildflower Weddings', 'Yonder'],
  ...['Alder Creative', 'Beacon Street', 'Cedar & Sage', 'Driftless Cider', 'Elm City Theatre'],
  ...['Firefly Toys', 'Goldfinch Jewelry', 'Hearth Bakery', 'Iron Bridge', 'Jade Garden'],
  ...[
    'Keystone Civic',
    'Lantern Festival',
    'Mosaic Education',
    'Nectar Drinks',
    'Old Mill Brewing',
  ],
  ...['Pinecone Cabins', 'Quartz Optics', 'Rosewood Guitars', 'Silver Birch', 'Terrace Dining'],
  ...['Union Square Gym', 'Violet Hour', 'Willow & Reed', 'Arrowhead Tours', 'Bramble Pets'],
  ...['Clearwater Surf', 'Dune Furniture', 'Everbloom', 'Flint & Feather', 'Greenhouse Grocers'],
  ...['Hummingbird Dance', 'Island Ferries', 'Jasper Ceramics', 'Kelp Forest', 'Lavender Fields'],
  ...['Maple Syrup Co', 'Nova Planetarium', 'Otter Creek', 'Prairie Wind', 'Quince Kitchen'],
  ...['Rook Chess Club', 'Stone Soup', 'Tulip Market', 'Urchin Seafood', 'Valley Vineyard'],
  ...['Windmill Energy', 'Amber Alley', 'Boathouse Rowing', 'Cloudberry Yarns'],
];

export const givenNames: readonly string[] = [
  ...['Amara', 'Benedikt', 'Camila', 'Daisuke', 'Elif', 'Fatima', 'Gabriel', 'Hanna', 'Idris'],
  ...['Joana', 'Kofi', 'Leila', 'Mateo', 'Nadia', 'Oskar', 'Paloma', 'Quentin', 'Rosa', 'Sanjay'],
  ...['Tove', 'Umar', 'Vera', 'Wen', 'Xenia', 'Yusuf', 'Zoe', 'Anders', 'Bridget', 'Chloe'],
];

export const surnames: readonly string[] = [
  ...['Adeyemi', 'Bergström', 'Costa', 'Dubois', 'Eriksen', 'Ferrari', 'Gallagher', 'Haddad'],
  ...['Ivanova', 'Jensen', 'Kowalski', 'Lopez', 'Moreau', 'Nakamura', 'O’Connor', 'Petrov'],
  ...['Quispe', 'Rossi', 'Schneider', 'Tanaka', 'Usman', 'Vogel', 'Walsh', 'Yilmaz', 'Zhang'],
];

/** Each is drawn once; tasks of all customers have its poster. */
export const drawnPrompts: readonly string[] = [
  'Macro shot of a bee landing on a sunflower, golden backlight',
  'A humpback whale glides past a coral reef, light shafts from above',
  'A camel caravan crosses desert dunes at sunset, the camera rises slowly',
  'Snow falls on a mountain village at night, warm windows, seen from above',
  'Neon signs reflected in a rainy street, people with umbrellas walk by',
  'A campfire at the edge of a pine forest, sparks drift into the stars',
  'A spiral galaxy turns slowly behind an astronaut',
  'Morning mist between tall trees, a deer looks up',
];

/** Added to a drawn prompt, so that lists differ. */
export const shotNotes: readonly string[] = [
  ...['', '', ', slow dolly in', ', 35 mm, shallow depth of field', ', wide establishing shot'],
  ...[', handheld, documentary style', ', vertical cut for stories', ', loopable, no people'],
];

export const failedPrompts: readonly string[] = [
  'Handheld shot through a crowded night market, steam and lanterns',
  'A drone flies through a ruined cathedral, ivy on the walls',
  'Product shot: a perfume bottle rises from dark water',
];

export const keyNames: readonly string[] = ['Production', 'Website', 'Campaign tool', 'Zapier'];

export const callbackHostOf = (customer: string): string => `hooks.${domainOf(customer)}`;

export const domainOf = (customer: string): string =>
  `${customer
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-')
    .replace(/-$/, '')}.example`;
