#include "io/config_section.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <string>

namespace {

using diarize::ConfigSection;
using diarize::FatalError;

ConfigSection section(const std::string& yaml) {
  return ConfigSection(YAML::Load(yaml), "");
}

}  // namespace

TEST_SUITE("config_section") {
  TEST_CASE("values come in the type asked for") {
    ConfigSection config =
        section("{a: word, b: 0.25, c: 12, d: true, e: False, f: 1e-3}");
    CHECK(config.text("a") == "word");
    CHECK(config.number("b") == 0.25);
    CHECK(config.integer("c") == 12);
    CHECK(config.boolean("d") == true);
    CHECK(config.boolean("e") == false);
    CHECK(config.number("f") == 1e-3);
    CHECK_NOTHROW(config.finish());
  }

  TEST_CASE("an absent key and a null are none") {
    ConfigSection config = section("{a: null, b: }");
    CHECK_FALSE(config.text("a").has_value());
    CHECK_FALSE(config.number("b").has_value());
    CHECK_FALSE(config.integer("c").has_value());
    CHECK(config.has("a"));
    CHECK_FALSE(config.has("c"));
    CHECK_NOTHROW(config.finish());
  }

  TEST_CASE("a key that was not asked for is refused with all keys above it") {
    ConfigSection config = section("params: {clustering: {foo: 1, Fa: 2}}");
    ConfigSection params = config.section("params");
    ConfigSection clustering = params.section("clustering");
    CHECK(clustering.number("Fa") == 2.0);
    CHECK_THROWS_WITH_AS(clustering.finish(),
                         "params.clustering.foo: is not known", FatalError);
    clustering.ignore("foo");
    CHECK_NOTHROW(clustering.finish());
    CHECK_NOTHROW(params.finish());
    CHECK_NOTHROW(config.finish());
  }

  TEST_CASE("values of another type are refused and shown") {
    ConfigSection config =
        section("{a: much, b: [1], c: {d: 1}, e: 1.5, f: .nan, g: 3x}");
    CHECK_THROWS_WITH_AS((void)config.number("a"),
                         "a: expected a number, found 'much'", FatalError);
    CHECK_THROWS_WITH_AS((void)config.boolean("a"),
                         "a: expected true or false, found 'much'", FatalError);
    CHECK_THROWS_WITH_AS((void)config.text("b"),
                         "b: expected a word, found a list", FatalError);
    CHECK_THROWS_WITH_AS((void)config.number("c"),
                         "c: expected a number, found a map", FatalError);
    CHECK_THROWS_WITH_AS((void)config.integer("e"),
                         "e: expected an integer, found '1.5'", FatalError);
    CHECK_THROWS_AS((void)config.number("f"), FatalError);
    CHECK_THROWS_AS((void)config.number("g"), FatalError);
    CHECK_THROWS_WITH_AS((void)config.section("a"),
                         "a: expected keys with values", FatalError);
    CHECK_THROWS_WITH_AS((void)config.required_text("z"), "z: is missing",
                         FatalError);
  }

  TEST_CASE("what is no map of plain words is refused") {
    CHECK_THROWS_AS(section("[1, 2]"), FatalError);
    CHECK_THROWS_AS(section("word"), FatalError);
    CHECK_THROWS_AS(section("{[1]: 2}"), FatalError);
    CHECK_THROWS_WITH_AS(section("{a: 1, a: 2}"), "a: is there twice",
                         FatalError);
  }

  TEST_CASE("an empty file is a section without keys") {
    ConfigSection config = section("");
    CHECK_FALSE(config.has("a"));
    CHECK_NOTHROW(config.finish());
  }
}
