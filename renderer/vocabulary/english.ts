/**
 * English words for places, times, weathers and moods. Phrases in which a word has another sense
 * ("prices rose") are at the end of `shots.ts`.
 */
import type { WordRow } from './lexicon.ts';
import type { Meaning } from './meaning.ts';

/** 3 names the place, 2 belongs there, 1 is often found there. */
const places: readonly WordRow<Meaning>[] = [
  [
    'scene:sea',
    3,
    `sea ocean seaside seashore seascape underwater beach coast coastal coastline shoreline reef
    lagoon harbor harbour whale dolphin jellyfish lighthouse deep_sea pacific atlantic caribbean
    mediterranean aegean adriatic fjord maldives tsunami tidal_wave`,
  ],
  [
    'scene:sea',
    2,
    `ship boat sailboat sailing sail yacht island surf surfer surfing shore shark coral starfish
    mermaid pirate submarine seagull pier jetty dock port marina lake canoe kayak swimmer waves
    crashing_waves octopus squid seal bay regatta catamaran gondola ferry fisherman scuba
    diver diving snorkel* aquarium turtle fish seaweed kelp shipwreck galleon tide hawaii bali
    santorini archipelago tropics tropical_paradise vessel frigate raft`,
  ],
  ['scene:sea', 1, 'wave water river swim swims swimming pool tropical anchor sailor palm_trees'],
  [
    'scene:mountains',
    3,
    `mountain mountainside mountaintop mountainous alps alpine himalaya* everest andes rockies
    patagonia summit valley highlands massif matterhorn kilimanjaro fuji yosemite dolomites
    volcano volcanic lava magma`,
  ],
  [
    'scene:mountains',
    2,
    `hill hillside hilltop rolling_hills ridge peak landscape countryside waterfall plateau
    vista prairie glacier hiker hiking climber climbing northern_lights aurora aurora_borealis
    hot_air_balloon castle vineyard wheat_field wheat grassland steppe pasture scenery iceland
    scotland scottish switzerland norway tibet tuscany gorge paraglid* cornfield corn_field
    eruption erupt*`,
  ],
  [
    'scene:mountains',
    1,
    `cliff horizon field eagle hawk falcon dragon kingdom monastery temple village farm road
    horse sheep cow shepherd meteor_shower shooting_star sky skies cloud clouds nature kite
    windmill balloon rainbow`,
  ],
  [
    'scene:city',
    3,
    `city cities skyline cityscape metropolis downtown skyscraper urban megacity tokyo manhattan
    new_york nyc london paris shanghai hong_kong dubai seoul chicago los_angeles times_square
    singapore berlin san_francisco las_vegas mumbai cyberpunk shibuya osaka kyoto bangkok
    istanbul beijing delhi sydney toronto moscow lagos nairobi cairo mexico_city rio_de_janeiro
    lunar_new_year barcelona rome vienna prague amsterdam madrid lisbon`,
  ],
  [
    'scene:city',
    2,
    `street alley avenue rooftop traffic building tower town highway subway taxi crosswalk
    boulevard neon neon_lights neon_signs office apartment bridge market cathedral
    suburb plaza crowd crowded_street`,
  ],
  ['scene:city', 1, 'car cars truck bus bicycle motorcycle train station shop cafe robot drones'],
  [
    'scene:space',
    3,
    `outer_space deep_space planet galaxy galaxies galactic astronaut cosmonaut nebula nebulae
    universe cosmos cosmic spaceship spacecraft starship space_station black_hole supernova
    rocket saturn jupiter neptune uranus solar_system interstellar interplanetary spacewalk
    milky_way spacesuit`,
  ],
  [
    'scene:space',
    2,
    `space mars lunar satellite comet asteroid meteor eclipse ufo alien constellation celestial
    zero_gravity orbiting moon_landing martian starfield star_field telescope wormhole`,
  ],
  ['scene:space', 1, 'star stars starry starlight moon orbit earth sci_fi stargaz* night_sky'],
  [
    'scene:forest',
    3,
    `forest forests woods woodland rainforest jungle redwood sequoia bamboo_forest bamboo taiga
    fairytale_forest grove birch_trees`,
  ],
  [
    'scene:forest',
    2,
    `tree trees pine pines oak birch fern moss mossy deer squirrel mushroom canopy undergrowth
    autumn_leaves fall_leaves fallen_leaves fall_foliage foliage falling_leaves elf elves fairy
    fairies willow treehouse tree_house`,
  ],
  [
    'scene:forest',
    1,
    `fox bear wolf wolves owl leaf leaves park autumn bird birds firefly fireflies unicorn
    monkey tiger panda stag rabbit hedgehog frog trail clearing`,
  ],
  [
    'scene:rain',
    2,
    `rain rains rainy raining rainfall raindrop* drizzle drizzling downpour umbrella puddle
    monsoon raincoat rain_soaked`,
  ],
  ['scene:rain', 1, 'storm stormy thunderstorm thunder lightning wet_pavement'],
  [
    'scene:snow',
    2,
    `snow snowy snowing snowfall snowflake* snowstorm snow_covered winter wintry blizzard
    christmas xmas snowman igloo arctic antarctic* penguin polar_bear ski skiing skier sled
    sledding sleigh reindeer husky huskies ice_skat* siberia* lapland tundra frozen_lake`,
  ],
  ['scene:snow', 1, 'frost frosty frozen ice icy icicle* cabin chalet santa'],
  [
    'scene:desert',
    3,
    `desert dune dunes sahara gobi mojave camel cactus cacti pyramid sandstorm saguaro bedouin
    death_valley sphinx monument_valley sonora* wadi`,
  ],
  [
    'scene:desert',
    2,
    `oasis caravan egypt egyptian pharaoh canyon mesa badlands savanna savannah arizona nomad
    tumbleweed wild_west marrakech gold_rush dust_storm mirage outback arid scorpion`,
  ],
  ['scene:desert', 1, 'sand sandy cowboy rattlesnake lizard sandstone'],
  [
    'scene:fire',
    3,
    `campfire bonfire fireplace inferno candle candlelight torch wildfire flames furnace
    bonfires blacksmith`,
  ],
  [
    'scene:fire',
    2,
    `fire flame ember embers blaze blazing phoenix forge fireball hearth firework
    fireworks`,
  ],
  ['scene:fire', 1, 'burn burning burns spark sparks smoke smoky dragon_fire ash ashes'],
  [
    'scene:flowers',
    3,
    `flower flowers flowering wildflower sunflower tulip lavender bouquet cherry_blossom*
    sakura orchid daisy daisies lily lilies dandelion poppy poppies peony peonies floral
    rosebush rose_garden lotus magnolia hydrangea*`,
  ],
  [
    'scene:flowers',
    2,
    `rose roses blossom* petal garden meadow bloom blooms blooming butterfly butterflies
    hummingbird bee bees bumblebee honeybee ladybug greenhouse`,
  ],
  ['scene:flowers', 1, 'spring springtime pollen picnic grass orchard'],
  ['scene:flow', 1, 'abstract fractal geometric motion_graphics liquid'],
];

const times: readonly WordRow<Meaning>[] = [
  [
    'time:dawn',
    3,
    `sunrise dawn daybreak morning first_light early_light sun_rises sun_rose rising_sun
    sun_rising sun_coming_up morning_light break_of_day crack_of_dawn`,
  ],
  [
    'time:dusk',
    3,
    `sunset sundown dusk twilight evening golden_hour blue_hour magic_hour nightfall gloaming
    setting_sun sun_sets sun_setting sun_goes_down sun_going_down late_afternoon day_to_night
    day_turns_to_night afterglow`,
  ],
  [
    'time:night',
    3,
    `night nighttime night_time nights midnight moonlit moonlight moonrise nocturnal starry
    starlit starlight tonight full_moon crescent_moon night_sky northern_lights aurora_borealis
    aurora milky_way meteor_shower stargaz* after_dark starry_night starry_sky city_lights
    bioluminescen*`,
  ],
  [
    'time:night',
    1,
    `lunar_new_year moon stars neon neon_lights neon_signs cyberpunk firework fireworks lantern
    campfire bonfire candle candlelight firefly fireflies vampire werewolf halloween shooting_star
    meteor`,
  ],
  [
    'time:day',
    3,
    `noon midday daylight daytime sunny sunlit sunshine afternoon broad_daylight blue_sky
    blue_skies high_noon in_the_day cloudless`,
  ],
  ['time:day', 1, 'day sunlight summer rainbow spring picnic bright_sky'],
];

const weathers: readonly WordRow<Meaning>[] = [
  [
    'weather:storm',
    4,
    `storm stormy thunder thunderstorm* thunderclap lightning hurricane typhoon tempest
    rainstorm cyclone gale squall tornado tsunami tidal_wave`,
  ],
  [
    'weather:rain',
    3,
    `rain rains rainy raining rainfall raindrop* drizzle drizzling downpour monsoon raincoat
    rain_soaked`,
  ],
  ['weather:rain', 1, 'umbrella puddle'],
  ['weather:snow', 3, 'snow snowing snowfall snowflake* snowstorm blizzard snowy sleet'],
  ['weather:fog', 2, 'fog foggy mist misty mists haze hazy smog fogbank mist_covered'],
  ['weather:clouds', 1, 'cloud clouds cloudy overcast cloudscape grey_sky gray_sky'],
  ['weather:clear', 1, 'clear_sky clear_skies cloudless sunny blue_sky blue_skies sunshine'],
];

const moods: readonly WordRow<Meaning>[] = [
  [
    'mood:epic',
    2,
    `epic grand majestic heroic dramatic battle triumphant mighty colossal sweeping monumental
    legendary glorious hero victory awe_inspiring breathtaking giant massive army warrior`,
  ],
  [
    'mood:dark',
    2,
    `dark ominous gloomy gloom horror scary haunted haunting eerie creepy sinister macabre
    nightmare* spooky foreboding ghost ghostly zombie noir bleak dystopia* melanchol* sad
    lonely somber sombre grim apocalyp* post_apocalyp*`,
  ],
  [
    'mood:tense',
    2,
    `tense tension chase chased chasing danger dangerous urgent suspense* thriller escape
    escaping race racing explosion explodes frantic panic fight fighting fighter pursuit
    intense thrilling action_packed`,
  ],
  [
    'mood:joyful',
    2,
    `happy happily joy joyful fun party dance dances dancing dancer playful cheerful cheering
    celebrat* festive festival laugh* smil* birthday lively upbeat puppy puppies kitten kids
    children wedding whimsical_fun carnival parade cute playing`,
  ],
  [
    'mood:dreamy',
    2,
    `dream dreams dreamy dreamlike surreal magic magical memory memories float floats floating
    ethereal fantasy enchanted mystical whimsical fairytale fairy_tale nostalg* hypnotic
    mysterious otherworldly imagination wonder romantic love`,
  ],
  [
    'mood:calm',
    2,
    `calm peaceful serene tranquil quiet gentle gently soothing relaxing meditat* still_water
    cozy cosy silence silent soft zen`,
  ],
];

export const placeWords = [...places, ...times, ...weathers, ...moods];
